#include "jobs/plan/stamp_replicas.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "jobs/plan/replica_nodes.h"
#include "jobs/plan/shared_part.h"
#include "jobs/plan/stamped_channels.h"
#include "src/graph/order/participants.h"

namespace dfrun::jobs {
namespace {

// Whether two parts are those of replicas. Adds what the channels of the one are in the other.
bool MatchParts(const Graph& before, const Graph& last, StampedChannels& channels) {
  if (before.num_nodes() != last.num_nodes()) return false;
  for (const Node& a : before.nodes()) {
    const Node& b = last.node(a.id);
    if (a.op != b.op || a.inputs != b.inputs || a.control_inputs != b.control_inputs ||
        a.output_shapes != b.output_shapes || !AreEqualBut(a.attrs, b.attrs))
      return false;
    if (IsEnd(a)) channels.Pair(NumberOfChannel(a), NumberOfChannel(b));
  }
  return true;
}

// The frames of loops in the part that is copied, each once. Nothing where their names tell no number.
std::optional<std::vector<std::pair<std::string, NumberedName>>> FramesOf(const Graph& before, const Graph& copied) {
  std::vector<std::pair<std::string, NumberedName>> frames;
  std::set<std::string> seen;
  for (const Node& node : copied.nodes()) {
    const AttrValue* const frame = node.attrs.Find("frame_name");
    if (frame == nullptr || !seen.insert(*frame->get<std::string>()).second) continue;
    const AttrValue* const frame_before = before.node(node.id).attrs.Find("frame_name");
    std::optional<NumberedName> name = NumberedName::Of(*frame_before->get<std::string>(), *frame->get<std::string>());
    if (!name) return {};
    frames.emplace_back(*frame->get<std::string>(), *std::move(name));
  }
  return frames;
}

}  // namespace

std::optional<PartCopies> StampReplicas(const ReplicaSites& sites, std::vector<Partition>& parts) {
  const int last = sites.made_devices - 1;
  const auto copies = static_cast<int>(sites.devices.size()) - sites.made_devices;
  const ClusterDevice& device = sites.devices[static_cast<size_t>(last)];
  const ClusterDevice& device_before = sites.devices[static_cast<size_t>(last - 1)];
  if (parts.size() < 2 || parts.back().device != device.name.ToString() ||
      parts[parts.size() - 2].device != device_before.name.ToString())
    return {};
  for (const Partition& part : parts) {
    if (std::any_of(part.graph.nodes().begin(), part.graph.nodes().end(), &IsParticipant)) return {};
  }
  Graph& copied = parts.back().graph;
  Graph& before = parts[parts.size() - 2].graph;
  StampedChannels channels;
  for (const Partition& part : parts) {
    for (const Node& node : part.graph.nodes()) {
      if (IsEnd(node)) channels.Grow(NumberOfChannel(node));
    }
  }
  if (!MatchParts(before, copied, channels) || !channels.Number(copies)) return {};
  std::vector<SharedPart> shared;
  for (size_t i = 0; i + 2 < parts.size(); ++i) {
    shared.emplace_back(parts[i].graph, device_before.rank, sites.devices, last);
    if (!shared.back().Match(channels)) return {};
  }
  PartCopies found;
  auto frames = FramesOf(before, copied);
  if (!frames) return {};
  found.frames = *std::move(frames);
  for (const Node& node : copied.nodes())
    found.channel_steps.push_back(IsEnd(node) ? channels.StepOf(NumberOfChannel(node)) : 0);
  for (Partition& part : parts) NumberEnds(channels, part.graph);
  for (size_t i = 0; i < shared.size(); ++i) {
    std::optional<Graph> completed = shared[i].Complete(channels);
    if (!completed) return {};
    parts[i].graph = *std::move(completed);
  }
  for (const Node& node : copied.nodes()) {
    std::optional<NumberedName> name = NumberedName::Of(before.node(node.id).name, node.name);
    if (!name) return {};
    found.names.push_back(*std::move(name));
  }
  return found;
}

}  // namespace dfrun::jobs
