// The graph of the groups of a placement problem: one edge where a node of one group reads a node of the other.
//
// Thread safety: const methods from any thread.
#ifndef DFRUN_SRC_PLAN_GROUP_GRAPH_H_
#define DFRUN_SRC_PLAN_GROUP_GRAPH_H_

#include <vector>

#include "src/plan/placement_problem.h"

namespace dfrun {

class GroupGraph {
 public:
  explicit GroupGraph(const PlacementProblem& problem);

  int num_groups() const { return static_cast<int>(successors_.size()); }
  const std::vector<int>& successors(int group) const { return successors_[group]; }
  const std::vector<int>& predecessors(int group) const { return predecessors_[group]; }
  // Successors and predecessors, each once.
  const std::vector<int>& neighbours(int group) const { return neighbours_[group]; }

  // Return orders of all groups, in which groups follow their predecessors wherever the graph has no cycle. In a cycle,
  // as between the forward and the backward nodes of a training, the way from the inputs counts. The first goes deep:
  // a branch is finished before the next one begins; `reversed` takes the branches from the last to the first. The
  // second goes by level: branches advance together.
  std::vector<int> DepthOrder(bool reversed) const;
  std::vector<int> LevelOrder() const;

 private:
  std::vector<int> roots_;  // groups in the order of their first nodes, those without predecessors first
  std::vector<std::vector<int>> successors_;
  std::vector<std::vector<int>> predecessors_;
  std::vector<std::vector<int>> neighbours_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_GROUP_GRAPH_H_
