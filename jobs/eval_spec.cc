#include "jobs/eval_spec.h"

#include "src/session/stamp.h"

namespace dfrun::jobs {

Result<SpecEvaluation> AddSpecEvaluation(Graph& graph, const JobSpec& job) {
  if (!job.eval && !job.run) {
    return Error(Code::kUsage, "the spec has neither `eval:` nor `run:`: give --fetch NAME or --target NODE");
  }
  const std::vector<FeedSpec>& feeds = job.eval ? job.eval->feeds : job.run->feeds;
  const std::vector<FetchSpec>& fetches = job.eval ? job.eval->metrics : job.run->fetches;
  const Graph model = graph.Clone();
  StampMap map;
  std::vector<bool> stop(static_cast<size_t>(model.num_nodes()), false);
  for (const VariableSpec& variable : job.variables) {
    map.nodes[variable.node] = variable.node;
    stop[static_cast<size_t>(variable.node)] = true;
  }
  StampOptions options;
  options.prefix = "eval/";
  const auto copy = [&](const std::vector<Output>& wanted) -> Status {
    DF_ASSIGN(const std::vector<NodeId> body, Ancestors(model, wanted, stop, &map));
    return Stamp(model, body, options, graph, map);
  };
  std::vector<Output> values;
  values.reserve(feeds.size());
  for (const FeedSpec& feed : feeds) values.push_back(feed.value);
  DF_TRY(copy(values));
  for (const FeedSpec& feed : feeds) map.outputs[StampMap::OutputKey(feed.target)] = map.Map(feed.value);
  std::vector<Output> wanted;
  wanted.reserve(fetches.size());
  for (const FetchSpec& fetch : fetches) wanted.push_back(fetch.output);
  DF_TRY(copy(wanted));
  SpecEvaluation out;
  for (const FetchSpec& fetch : fetches) {
    out.names.push_back(fetch.name);
    out.fetches.push_back(map.Map(fetch.output));
  }
  return out;
}

}  // namespace dfrun::jobs
