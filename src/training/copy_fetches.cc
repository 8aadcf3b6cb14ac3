#include "src/training/copy_fetches.h"

namespace dfrun {

Status CopyFetches(const Graph& model, const StepParts& parts, const SubgraphCopyOptions& options, SubgraphMap map,
                   Graph& graph, JobStep& step) {
  std::vector<bool> stop(static_cast<size_t>(model.num_nodes()), false);
  for (const auto& [of_model, of_job] : map.nodes) stop[static_cast<size_t>(of_model)] = true;
  const auto stamp = [&](const std::vector<Output>& wanted) -> Status {
    DF_ASSIGN(const std::vector<NodeId> body, Ancestors(model, wanted, stop, &map));
    return CopySubgraph(model, body, options, graph, map);
  };
  std::vector<Output> values;
  values.reserve(parts.feeds.size());
  for (const FeedSpec& feed : parts.feeds) values.push_back(feed.value);
  DF_TRY(stamp(values));
  for (const FeedSpec& feed : parts.feeds) map.outputs[SubgraphMap::OutputKey(feed.target)] = map.Map(feed.value);

  std::vector<Output> wanted;
  wanted.reserve(parts.fetches.size() + parts.targets.size());
  for (const FetchSpec& fetch : parts.fetches) wanted.push_back(fetch.output);
  for (const NodeId target : parts.targets) wanted.push_back({target, 0});
  DF_TRY(stamp(wanted));
  for (const FetchSpec& fetch : parts.fetches) {
    step.signature.fetches.push_back(map.Map(fetch.output));
    step.names.push_back(fetch.name);
  }
  for (const NodeId target : parts.targets) {
    // A target whose outputs are all fed has nothing left to do.
    if (const NodeId copied = map.MapControl(model.node(target)); copied >= 0) step.signature.targets.push_back(copied);
  }
  return Status();
}

}  // namespace dfrun
