// Finds the element-wise nodes of a graph that can be computed as one node: no other node waits longer for it, and no
// cycle of waits arises.
#ifndef DFRUN_SRC_PASSES_ELEMENTWISE_CLUSTERS_H_
#define DFRUN_SRC_PASSES_ELEMENTWISE_CLUSTERS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// Nodes of ops that have an element-wise loop (src/framework/elementwise_loop.h) may be in a cluster where all their
// values are float, no refs, and of one static shape.
struct ClusterRules {
  int64_t least_elements;
  size_t most_members;
  size_t most_operands;  // of all members together
};

// Ascending, and so in an order in which they can run; at least two.
using Cluster = std::vector<NodeId>;

// Clusters are nodes of equal depth that edges join: a node's depth is how many nodes outside of clusters lie on the
// longest way to it, counted anew for each that must be run between. So a way that leaves a cluster leads to greater
// depth and not back, and no member waits for more than another. A Recv is as deep as if it waited for every Send
// before it, since what it gives may have been made of that.
class ElementwiseClusters {
 public:
  // The graph has no control flow.
  ElementwiseClusters(const Graph& graph, const ClusterRules& rules);
  bool empty() const { return clusters_.empty(); }
  // Of the node; null where it stays as it is.
  const Cluster* Of(NodeId id) const {
    const int32_t cluster = of_node_[static_cast<size_t>(id)];
    return cluster < 0 ? nullptr : &clusters_[static_cast<size_t>(cluster)];
  }

 private:
  std::vector<Cluster> clusters_;
  std::vector<int32_t> of_node_;  // -1: none
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_ELEMENTWISE_CLUSTERS_H_
