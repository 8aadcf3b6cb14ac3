// A part of a step in which not only one replica computes, when replicas are stamped (stamp_replicas.h).
#ifndef DFRUN_JOBS_PLAN_SHARED_PART_H_
#define DFRUN_JOBS_PLAN_SHARED_PART_H_

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "jobs/plan/numbered_name.h"
#include "jobs/plan/stamped_channels.h"
#include "src/graph/graph.h"
#include "src/placement/cluster.h"

namespace dfrun::jobs {

// Completes one such part.
// Lifetime: the graph and the devices outlive it. Thread safety: one thread.
class SharedPart {
 public:
  SharedPart(Graph& graph, int before_rank, const std::vector<ClusterDevice>& devices, int last)
      : graph_(graph),
        ranks_{before_rank, devices[static_cast<size_t>(last)].rank},
        devices_(devices),
        last_(last),
        copies_(static_cast<int>(devices.size()) - last - 1) {}

  // Finds what it has for the last two devices. False: that is not equal.
  bool Match(StampedChannels& channels);

  // The part with what it has for all devices. Nothing where its order is not that of the devices.
  std::optional<Graph> Complete(const StampedChannels& channels);

 private:
  static constexpr NodeId kNone = -1;
  static constexpr int kNoSite = -1;

  // A node, or a copy of one: 0 is the node itself.
  struct Item {
    NodeId node;
    int copy;
  };

  // Closes a loop of what is not a copy.
  struct BackEdge {
    NodeId reader;
    int input;
    NodeId source;
  };

  static size_t Index(NodeId id) { return static_cast<size_t>(id); }
  int SiteOf(NodeId id) const { return site_[Index(id)]; }

  void FindSites();
  void FindSitesOfSources();
  int SiteOfInputs(const Node& node) const;
  bool StandsFor(NodeId before, NodeId last) const;
  bool MatchTwins(const Node& before, const Node& last, StampedChannels& channels) const;
  bool FindReaders();
  NodeId FirstReader(NodeId begin, NodeId end, int copy) const;
  bool FindOrder();
  static void Append(NodeId begin, NodeId end, int copy, std::vector<Item>& to);
  bool AppendWithReaders(NodeId begin, NodeId end, std::unordered_map<NodeId, std::vector<Item>>& before_reader);
  bool FindNames();
  NodeId& IdOf(Item item);
  std::optional<Node> Itself(NodeId id);
  // The copy whose value is read next where the last device's is.
  int NextCopy(Output input) { return SiteOf(input.node) == 1 ? reads_[{input.node, input.port}]++ : 0; }
  bool ReadAll(Node& node);
  std::optional<Node> CopyOf(const Node& from, int copy);
  static std::optional<Node> InOrder(Node node);

  Graph& graph_;
  const int ranks_[2];
  const std::vector<ClusterDevice>& devices_;
  const int last_;  // among the devices
  const int copies_;
  std::vector<int> site_;             // by node: 0 for the last device but one, 1 for the last
  std::vector<NodeId> of_site_[2];    // in their order
  std::vector<int> number_;           // by node, in of_site_
  std::vector<NodeId> twin_;          // by node
  std::vector<int64_t> old_channel_;  // by node
  std::vector<int64_t> steps_;        // by node: from a copy's channel to that of the next
  std::map<std::pair<NodeId, int32_t>, std::vector<NodeId>> readers_;  // by output of the last device
  std::map<std::pair<NodeId, int32_t>, int> reads_;                    // that have been made
  std::vector<Item> order_;
  std::vector<BackEdge> back_edges_;
  std::vector<NumberedName> names_;  // by of_site_[1]
  std::vector<NodeId> new_ids_;      // by node
  std::vector<NodeId> copy_ids_;     // by node of the last device and copy
};

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PLAN_SHARED_PART_H_
