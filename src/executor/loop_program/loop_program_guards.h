// Guards of a loop program: the sides of predicates that a node stands on, as a tree, which tell when it runs.
//
// A guard is a side of a predicate within another guard; the root is no side of anything. Nodes on two guards of which
// neither lies within the other have no guard: their loop has no loop program.
#ifndef DFRUN_SRC_EXECUTOR_LOOP_PROGRAM_LOOP_PROGRAM_GUARDS_H_
#define DFRUN_SRC_EXECUTOR_LOOP_PROGRAM_LOOP_PROGRAM_GUARDS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace dfrun {

using GuardId = int32_t;

// Thread safety: as an int.
class LoopGuards {
 public:
  static constexpr GuardId kAlways = 0;
  static constexpr GuardId kNone = -1;

  struct Guard {
    GuardId outer = kNone;
    uint32_t predicate = 0;  // a slot
    bool side = false;
    int32_t depth = 0;
  };

  const Guard& operator[](GuardId guard) const { return all_[static_cast<size_t>(guard)]; }
  size_t size() const { return all_.size(); }

  // Returns the guard of nodes within `outer` on a side of a predicate. kNone where that never holds, or where guards
  // lie too deep within each other.
  GuardId Within(GuardId outer, uint32_t predicate, bool side);
  // The guard on the other side of the same predicate. `guard` is not kAlways.
  GuardId OtherSide(GuardId guard) const;
  // Returns the guard of a node that waits for nodes of both guards.
  GuardId Both(GuardId a, GuardId b) const;
  // Whether all of `inner` lies within `outer`.
  bool Contains(GuardId outer, GuardId inner) const;
  // Whether they lie on two sides of one predicate, so that never both hold.
  bool Exclude(GuardId a, GuardId b) const;

 private:
  // A bound of the depth, since each query walks to the root.
  static constexpr int32_t kMaxDepth = 64;

  std::vector<Guard> all_ = {Guard()};
  std::map<std::pair<GuardId, uint32_t>, GuardId> made_;  // the false side; the true one follows it
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_LOOP_PROGRAM_LOOP_PROGRAM_GUARDS_H_
