// Finds the element-wise nodes of a graph that can be computed as one node: no other node waits longer for it, and no
// cycle of waits arises.
#ifndef DFRUN_SRC_PASSES_ELEMENTWISE_CLUSTERS_H_
#define DFRUN_SRC_PASSES_ELEMENTWISE_CLUSTERS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// Nodes of ops that have an element-wise loop (src/framework/op/elementwise_loop.h) may be in a cluster where all their
// values are float, no refs, and of one static shape.
struct ClusterRules {
  int64_t least_elements;
  size_t most_members;
  size_t most_operands;  // operands of all members together
};

// Ascending, and so in an order in which they can run; at least two.
using Cluster = std::vector<NodeId>;

// Groups connected element-wise nodes of equal depth into clusters. Depth counts nodes outside clusters on the longest
// path. Edges never lead to smaller depth, so a path that leaves a cluster cannot come back, merging equal depths
// cannot make a cycle, and no member waits for more than another. A Recv is as deep as if it waited for every Send
// before it, since its value may have been made of those.
class ElementwiseClusters {
 public:
  // The graph has no control flow.
  ElementwiseClusters(const Graph& graph, const ClusterRules& rules);
  bool empty() const { return clusters_.empty(); }
  // The node's cluster; null where it stays as it is.
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
