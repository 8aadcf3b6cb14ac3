#include "src/training/spec_evaluation.h"

#include <algorithm>
#include <utility>

#include "src/training/copy_subgraph.h"
#include "src/training/evaluation.h"

namespace dfrun {
namespace {

// Of the spec, where the caller says nothing else, and of the caller.
std::vector<FeedSpec> Replacements(const JobSpec& job, const std::vector<FedOutput>& feeds) {
  std::vector<FeedSpec> out;
  if (job.eval) out = job.eval->feeds;
  if (!job.eval && job.run) out = job.run->feeds;
  std::erase_if(out, [&](const FeedSpec& own) {
    return std::any_of(feeds.begin(), feeds.end(), [&](const FedOutput& feed) { return feed.target == own.target; });
  });
  for (const FedOutput& feed : feeds) {
    if (feed.source.valid() && !(feed.source == feed.target)) out.push_back({feed.target, feed.source, {}});
  }
  return out;
}

// What the copies of a spec's evaluation have in common with its graph: variables, and what is fed a value.
SubgraphMap Shared(const JobSpec& job, const std::vector<FedOutput>& feeds) {
  SubgraphMap map;
  for (const VariableSpec& variable : job.variables) map.nodes[variable.node] = variable.node;
  for (const FedOutput& feed : feeds) {
    if (!feed.source.valid()) map.outputs[SubgraphMap::OutputKey(feed.target)] = feed.target;
  }
  return map;
}

bool FeedsSamples(const JobSpec& job, const std::vector<FedOutput>& feeds) {
  for (const InputSpec& input : job.inputs) {
    for (const InputTensor& t : input.tensors) {
      const auto gives = [&](const FedOutput& feed) { return !feed.source.valid() && feed.target == t.value; };
      if (std::any_of(feeds.begin(), feeds.end(), gives)) return true;
    }
  }
  return false;
}

}  // namespace

SpecEvaluation EvaluationOf(const JobSpec& job) {
  SpecEvaluation out;
  if (!job.eval && !job.run) return out;
  for (const FetchSpec& fetch : job.eval ? job.eval->metrics : job.run->fetches) {
    out.names.push_back(fetch.name);
    out.fetches.push_back(fetch.output);
  }
  return out;
}

Status ApplyFeeds(const JobSpec& job, const std::vector<FedOutput>& feeds, Graph& graph, SpecEvaluation& wanted) {
  const std::vector<FeedSpec> replacements = Replacements(job, feeds);
  if (replacements.empty()) return Status();
  const Graph model = graph.Clone();
  SubgraphMap map = Shared(job, feeds);
  std::vector<bool> stop(static_cast<size_t>(model.num_nodes()), false);
  for (const VariableSpec& variable : job.variables) stop[static_cast<size_t>(variable.node)] = true;
  SubgraphCopyOptions options;
  options.prefix = "eval/";
  const auto copy = [&](const std::vector<Output>& outputs) -> Status {
    DF_ASSIGN(const std::vector<NodeId> body, Ancestors(model, outputs, stop, &map));
    return CopySubgraph(model, body, options, graph, map);
  };
  std::vector<Output> values;
  values.reserve(replacements.size());
  for (const FeedSpec& feed : replacements) values.push_back(feed.value);
  DF_TRY(copy(values));
  std::vector<Output> stand_ins;
  stand_ins.reserve(values.size());
  for (const Output& value : values) stand_ins.push_back(map.Map(value));
  for (size_t i = 0; i < replacements.size(); ++i) {
    map.outputs[SubgraphMap::OutputKey(replacements[i].target)] = stand_ins[i];
  }
  std::vector<Output> outputs = wanted.fetches;
  for (const NodeId target : wanted.targets) {
    if (!map.ReplacesAll(model.node(target))) outputs.push_back({target, 0});
  }
  DF_TRY(copy(outputs));
  for (Output& fetch : wanted.fetches) fetch = map.Map(fetch);
  for (NodeId& target : wanted.targets) target = map.MapControl(model.node(target));
  return Status();
}

Result<std::optional<EvaluationPass>> AddWholeEvaluation(const JobSpec& job, const std::vector<FedOutput>& feeds,
                                                         Graph& graph) {
  if (!job.eval || FeedsSamples(job, feeds)) return std::optional<EvaluationPass>();
  JobSpec fed = job;
  fed.eval->feeds = Replacements(job, feeds);
  const Graph model = graph.Clone();
  DF_ASSIGN(EvaluationPass pass, AddEvaluation(fed, model, Shared(job, feeds), /*device=*/"", graph));
  return std::optional<EvaluationPass>(std::move(pass));
}

}  // namespace dfrun
