#include "src/plan/path_segment.h"

namespace dfrun {

PathSegment::PathSegment(const PlacementProblem& problem, const NodeReach& reach)
    : problem_(problem),
      reach_(reach),
      members_(NodeReach::Empty(problem)),
      below_(NodeReach::Empty(problem)),
      above_(NodeReach::Empty(problem)) {}

void PathSegment::Add(int node) {
  AddGroup(problem_.nodes()[node].group);
  while (AddBetween()) {
  }
}

void PathSegment::AddGroup(int g) {
  const PlacementGroup& group = problem_.groups()[g];
  if (Has(group.nodes[0])) return;
  accelerated_ = accelerated_ && group.runs_on_accelerator;
  bytes_ += group.bytes;
  time_ += group.accelerator_time;
  for (const int v : group.nodes) {
    SetBit(members_, v);
    AddBits(below_, reach_.descendants(v));
    AddBits(above_, reach_.ancestors(v));
    nodes_.push_back(v);
  }
}

// Returns true if a node was added.
bool PathSegment::AddBetween() {
  bool added = false;
  for (size_t i = 0; i < members_.size(); ++i) {
    while (const uint64_t missing = below_[i] & above_[i] & ~members_[i]) {
      AddGroup(problem_.nodes()[static_cast<int>(i * 64) + __builtin_ctzll(missing)].group);
      added = true;
    }
  }
  return added;
}

}  // namespace dfrun
