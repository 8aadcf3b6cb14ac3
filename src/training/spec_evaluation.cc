#include "src/training/spec_evaluation.h"

#include <algorithm>
#include <utility>

#include "src/base/text.h"
#include "src/graph/graph_ops.h"
#include "src/graph/order/ancestors.h"
#include "src/training/copy_subgraph.h"
#include "src/training/evaluation.h"
#include "src/training/narrow_values.h"

namespace dfrun {
namespace {

// Whether the node makes an object that outlives steps: a variable, a queue, a table.
bool MakesObject(const Node& node) {
  return node.inputs.empty() &&
         std::any_of(node.output_types.begin(), node.output_types.end(),
                     [](const TypedArg& out) { return out.is_ref || out.dtype == DType::kResource; });
}

// Whether a value is fed in the place of samples, or of values computed from them.
bool FeedsSamples(const JobSpec& job, const std::vector<FedOutput>& feeds, const Graph& graph) {
  AncestorWalk walk(graph);
  for (const FedOutput& feed : feeds) {
    if (!feed.source.valid()) walk.Add(feed.target.node);
  }
  while (const Node* node = walk.Next()) walk.AddSources(*node);
  return std::any_of(job.inputs.begin(), job.inputs.end(),
                     [&](const InputSpec& input) { return walk.added()[static_cast<size_t>(input.read)]; });
}

// The value of a metric in one step. Numbers of integers are divided as doubles.
Result<Output> QuotientOf(const MetricSpec& metric, Graph& graph) {
  if (!metric.over.valid()) return metric.value;
  const DType dtype = IsFloating(graph.dtype(metric.value)) ? graph.dtype(metric.value) : DType::kDouble;
  GraphOps ops(graph, "eval_quotient/" + metric.name);
  const auto cast = [&](const char* name, Output value) { return CastTo(ops, name, value, graph.dtype(value), dtype); };
  const Output quotient = ops.Add("quotient", "RealDiv", {cast("sum", metric.value), cast("over", metric.over)});
  DF_TRY(ops.status());
  return quotient;
}

}  // namespace

SubgraphMap SharedNodes(const std::vector<FedOutput>& feeds, const Graph& graph) {
  SubgraphMap map;
  for (const Node& node : graph.nodes()) {
    if (MakesObject(node) || node.op->name == "Placeholder") map.nodes[node.id] = node.id;
  }
  for (const FedOutput& feed : feeds) {
    if (!feed.source.valid()) map.outputs[SubgraphMap::OutputKey(feed.target)] = feed.target;
  }
  return map;
}

PassRequest RequestOf(const JobSpec& job, const std::vector<FedOutput>& feeds, const SpecEvaluation& wanted) {
  PassRequest request;
  request.feeds = ReplacementsOf(job, feeds);
  for (size_t i = 0; i < wanted.fetches.size(); ++i) {
    request.fetches.push_back({wanted.names[i], wanted.fetches[i], {}});
  }
  request.targets = wanted.targets;
  request.what = "the nodes that are fetched";
  request.finds_rows = true;
  return request;
}

std::vector<FeedSpec> ReplacementsOf(const JobSpec& job, const std::vector<FedOutput>& feeds) {
  std::vector<FeedSpec> out;
  if (const EvalSpec* const eval = OnlyEvaluation(job)) out = eval->feeds;
  if (job.run) out = job.run->feeds;
  std::erase_if(out, [&](const FeedSpec& own) {
    return std::any_of(feeds.begin(), feeds.end(), [&](const FedOutput& feed) { return feed.target == own.target; });
  });
  for (const FedOutput& feed : feeds) {
    if (feed.source.valid() && !(feed.source == feed.target)) out.push_back({feed.target, feed.source, {}});
  }
  return out;
}

const EvalSpec* OnlyEvaluation(const JobSpec& job) {
  return job.evals.size() == 1 ? job.evals.data() : nullptr;
}

Status ChooseEvaluation(std::string_view flag, const std::string& name, JobSpec& job) {
  std::vector<std::string> names;
  for (const EvalSpec& eval : job.evals) names.push_back(eval.name);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    const std::string near = Nearest(name, names);
    return Error(Code::kUsage, flag, " ", name, ": the spec has no such evaluation",
                 names.empty() ? "" : StrCat("; it has ", Join(names)),
                 near.empty() ? "" : StrCat(", did you mean '", near, "'?"));
  }
  std::erase_if(job.evals, [&](const EvalSpec& eval) { return eval.name != name; });
  return Status();
}

Result<SpecEvaluation> EvaluationOf(const JobSpec& job, Graph& graph) {
  SpecEvaluation out;
  const auto add = [&](const std::string& name, Output value) {
    out.names.push_back(name);
    out.fetches.push_back(value);
  };
  if (const EvalSpec* const eval = OnlyEvaluation(job)) {
    for (const MetricSpec& metric : eval->metrics) {
      DF_ASSIGN(const Output value, QuotientOf(metric, graph));
      add(metric.name, value);
    }
  } else if (job.run) {
    for (const FetchSpec& fetch : job.run->fetches) add(fetch.name, fetch.output);
  }
  return out;
}

Status ApplyFeeds(const JobSpec& job, const std::vector<FedOutput>& feeds, Graph& graph, SpecEvaluation& wanted) {
  const std::vector<FeedSpec> replacements = ReplacementsOf(job, feeds);
  if (replacements.empty()) return Status();
  const Graph model = graph.Clone();
  SubgraphMap map = SharedNodes(feeds, model);
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
  const EvalSpec* const eval = OnlyEvaluation(job);
  if (eval == nullptr || FeedsSamples(job, feeds, graph)) return std::optional<EvaluationPass>();
  PassRequest request = MetricsOf(*eval);
  request.feeds = ReplacementsOf(job, feeds);
  const Graph model = graph.Clone();
  DF_ASSIGN(EvaluationPass pass, AddPass(job, model, request, SharedNodes(feeds, model), /*device=*/"", graph));
  return std::optional<EvaluationPass>(std::move(pass));
}

Result<std::optional<EvaluationPass>> AddWholeFetch(const JobSpec& job, const std::vector<FedOutput>& feeds,
                                                    const SpecEvaluation& wanted, Graph& graph) {
  if (FeedsSamples(job, feeds, graph)) return std::optional<EvaluationPass>();
  const PassRequest request = RequestOf(job, feeds, wanted);
  DF_ASSIGN(const std::vector<size_t> inputs, InputsOf(job, graph, request));
  if (inputs.empty()) return std::optional<EvaluationPass>();
  const Graph model = graph.Clone();
  DF_ASSIGN(EvaluationPass pass, AddPass(job, model, request, SharedNodes(feeds, model), /*device=*/"", graph));
  return std::optional<EvaluationPass>(std::move(pass));
}

}  // namespace dfrun
