// The nodes of an acyclic problem that lead to each other.
//
// Thread safety: const methods from any thread.
#ifndef DFRUN_SRC_PLAN_NODE_REACH_H_
#define DFRUN_SRC_PLAN_NODE_REACH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/plan/placement_problem.h"

namespace dfrun {

// A set of nodes, a bit each.
using NodeBits = std::vector<uint64_t>;

inline bool HasBit(const NodeBits& bits, int node) {
  return (bits[node >> 6] >> (node & 63) & 1) != 0;
}
inline void SetBit(NodeBits& bits, int node) {
  bits[node >> 6] |= uint64_t{1} << (node & 63);
}
inline void AddBits(NodeBits& bits, const NodeBits& more) {
  for (size_t i = 0; i < bits.size(); ++i) bits[i] |= more[i];
}

// Memory: two bits for each pair of nodes.
class NodeReach {
 public:
  // The problem must be acyclic.
  explicit NodeReach(const PlacementProblem& problem)
      : descendants_(problem.num_nodes(), Empty(problem)), ancestors_(problem.num_nodes(), Empty(problem)) {
    for (const int v : problem.order()) {
      SetBit(ancestors_[v], v);
      for (const int before : problem.predecessors(v)) AddBits(ancestors_[v], ancestors_[before]);
    }
    for (auto v = problem.order().rbegin(); v != problem.order().rend(); ++v) {
      SetBit(descendants_[*v], *v);
      for (const int after : problem.successors(*v)) AddBits(descendants_[*v], descendants_[after]);
    }
  }

  static NodeBits Empty(const PlacementProblem& problem) { return NodeBits((problem.num_nodes() + 63) / 64); }

  // The nodes to which the node leads, and those that lead to it, itself among both.
  const NodeBits& descendants(int node) const { return descendants_[node]; }
  const NodeBits& ancestors(int node) const { return ancestors_[node]; }

 private:
  std::vector<NodeBits> descendants_;
  std::vector<NodeBits> ancestors_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_NODE_REACH_H_
