// The nodes that an accelerator has at least if it has a segment of a path.
//
// Thread safety: none.
#ifndef DFRUN_SRC_PLAN_PATH_SEGMENT_H_
#define DFRUN_SRC_PLAN_PATH_SEGMENT_H_

#include <vector>

#include "src/plan/node_reach.h"
#include "src/plan/placement_problem.h"

namespace dfrun {

// An invocation is contiguous, so that with two nodes the accelerator has all nodes on paths between them, and with a
// node all of its group. The members are the closure of the nodes that were added under both.
class PathSegment {
 public:
  // The problem and the reach must outlive the object.
  PathSegment(const PlacementProblem& problem, const NodeReach& reach);

  void Add(int node);
  bool Has(int node) const { return HasBit(members_, node); }
  bool RunsOnAccelerator() const { return accelerated_ && bytes_ <= problem_.devices().accelerator_bytes; }
  // The sums over the members on an accelerator.
  double time() const { return time_; }
  double bytes() const { return bytes_; }
  // In the order in which they were added.
  const std::vector<int>& nodes() const { return nodes_; }

 private:
  void AddGroup(int group);
  bool AddBetween();

  const PlacementProblem& problem_;
  const NodeReach& reach_;
  NodeBits members_;
  NodeBits below_;
  NodeBits above_;
  std::vector<int> nodes_;
  double time_ = 0;
  double bytes_ = 0;
  bool accelerated_ = true;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_PATH_SEGMENT_H_
