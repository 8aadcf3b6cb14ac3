#include "jobs/plan/stamped_channels.h"

#include <string>

#include "jobs/plan/replica_nodes.h"
#include "src/partition/message_nodes.h"

namespace dfrun::jobs {

bool StampedChannels::Number(int copies) {
  int64_t shift = 0;
  for (int64_t c = 0; c < size();) {
    of_[Index(c)].number = c + shift;
    if (of_[Index(c)].site != kLast) {
      ++c;
      continue;
    }
    int64_t end = c;
    while (end < size() && of_[Index(end)].site == kLast) ++end;
    const int64_t step = end - c;
    for (int64_t last = c; last < end; ++last) {
      if (last < step || !ArePaired(last - step, last)) return false;
      of_[Index(last)].number = last + shift;
      of_[Index(last)].step = step;
    }
    shift += step * copies;
    c = end;
  }
  return true;
}

void NumberEnds(const StampedChannels& channels, Graph& graph) {
  const auto rename = [](Node& node, int64_t from, int64_t to) {
    const std::string end = "_" + std::to_string(from);
    if (!node.name.ends_with(end)) return;
    node.name.resize(node.name.size() - end.size() + 1);
    node.name += std::to_string(to);
  };
  // A Cast behind a Recv is named by the number that the Recv had.
  for (NodeId id = graph.num_nodes() - 1; id >= 0; --id) {
    Node& node = graph.mutable_node(id);
    if (IsEnd(node)) {
      const int64_t channel = NumberOfChannel(node);
      rename(node, channel, channels.NumberOf(channel));
      node.attrs.Set("channel", channels.NumberOf(channel));
    } else if (RestoresMessage(graph, node)) {
      const int64_t channel = NumberOfChannel(graph.node(node.inputs[0].node));
      rename(node, channel, channels.NumberOf(channel));
    }
  }
}

}  // namespace dfrun::jobs
