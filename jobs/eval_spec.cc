#include "jobs/eval_spec.h"

#include <algorithm>

#include "src/session/stamp.h"

namespace dfrun::jobs {
namespace {

// Of the spec, where the command line says nothing else, and of the command line.
std::vector<FeedSpec> Replacements(const JobSpec& job, const std::vector<Feed>& feeds) {
  std::vector<FeedSpec> out;
  if (job.eval) out = job.eval->feeds;
  if (!job.eval && job.run) out = job.run->feeds;
  std::erase_if(out, [&](const FeedSpec& own) {
    return std::any_of(feeds.begin(), feeds.end(), [&](const Feed& feed) { return feed.output == own.target; });
  });
  for (const Feed& feed : feeds) {
    if (feed.source.valid() && !(feed.source == feed.output)) out.push_back({feed.output, feed.source, {}});
  }
  return out;
}

}  // namespace

Result<SpecEvaluation> EvaluationOf(const JobSpec& job) {
  if (!job.eval && !job.run) {
    return Error(Code::kUsage, "the spec has neither `eval:` nor `run:`: give --fetch NAME or --target NODE");
  }
  SpecEvaluation out;
  for (const FetchSpec& fetch : job.eval ? job.eval->metrics : job.run->fetches) {
    out.names.push_back(fetch.name);
    out.fetches.push_back(fetch.output);
  }
  return out;
}

Status ApplyFeeds(const JobSpec& job, const std::vector<Feed>& feeds, Graph& graph, SpecEvaluation& wanted) {
  const std::vector<FeedSpec> replacements = Replacements(job, feeds);
  if (replacements.empty()) return Status();
  const Graph model = graph.Clone();
  StampMap map;
  std::vector<bool> stop(static_cast<size_t>(model.num_nodes()), false);
  for (const VariableSpec& variable : job.variables) {
    map.nodes[variable.node] = variable.node;
    stop[static_cast<size_t>(variable.node)] = true;
  }
  for (const Feed& feed : feeds) {
    if (!feed.source.valid()) map.outputs[StampMap::OutputKey(feed.output)] = feed.output;
  }
  StampOptions options;
  options.prefix = "eval/";
  const auto copy = [&](const std::vector<Output>& outputs) -> Status {
    DF_ASSIGN(const std::vector<NodeId> body, Ancestors(model, outputs, stop, &map));
    return Stamp(model, body, options, graph, map);
  };
  std::vector<Output> values;
  for (const FeedSpec& feed : replacements) values.push_back(feed.value);
  DF_TRY(copy(values));
  std::vector<Output> stand_ins;
  for (const Output& value : values) stand_ins.push_back(map.Map(value));
  for (size_t i = 0; i < replacements.size(); ++i) {
    map.outputs[StampMap::OutputKey(replacements[i].target)] = stand_ins[i];
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

}  // namespace dfrun::jobs
