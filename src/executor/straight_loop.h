// A loop that runs as a straight line: the kernels of an iteration in one fixed order, without a queue, counters or
// deadness.
//
// Such a loop stays in one block of values (StepValues), and slots that only hand a value on (of Merge, Switch,
// LoopCond, Identity) are not written at all: kernels read where the value is, its home. At the end of an iteration
// what goes to the next one is moved to the homes of the loop's variables.
//
// A frame has this form (FindStraightLoop) if
//   - all its Merges are loop variables and all its Switches obey its one LoopCond: no conditional and no loop inside;
//   - a node that the false side of a Switch reaches is not reached by the true side, and Exits are on the false side
//     alone, NextIterations on the true side alone;
//   - all kernels are synchronous, and none of its nodes is fetched.
// A step runs it so if nothing that entered is dead, and, where the pool has several threads, if no kernel in it is
// expensive: iterations of those may overlap, which the general form does (FlowLoop).
#ifndef DFRUN_SRC_EXECUTOR_STRAIGHT_LOOP_H_
#define DFRUN_SRC_EXECUTOR_STRAIGHT_LOOP_H_

#include <optional>
#include <vector>

#include "src/executor/plan.h"

namespace dfrun {

// A kernel call.
struct StraightAction {
  NodeRecord record;           // its inputs are homes; of the flags, those that ask for something at the call
  uint32_t node = 0;           // in the plan
  uint32_t first_release = 0;  // in StraightLoop::releases; num_releases slots are empty after the call
  uint32_t num_releases = 0;
  uint64_t forwardable = 0;  // inputs that nothing reads after it
};

// What an iteration hands to the next.
struct StraightMove {
  enum class Kind : uint32_t {
    kCopy,  // `bytes` bytes between places of the arena
    kSwap,  // places of the arena, by their headers
    kFill,  // into a place of the arena, by HandOver()
    kHand,  // into a slot without a place, likewise
  };
  Kind kind;
  uint32_t bytes;
  uint32_t from;
  uint32_t to;
  uint32_t node;  // the NextIteration, in the plan
};

struct StraightExit {
  uint32_t node;  // in the plan
  uint32_t from;
};

struct StraightLoop {
  uint32_t loop_cond = 0;  // a node of the frame
  uint32_t predicate = 0;  // the home of what it reads
  bool has_expensive = false;
  uint32_t weight = 0;                   // of an iteration: its calls; an expensive one counts as many
  std::vector<StraightAction> always;    // before the predicate is looked at
  std::vector<StraightAction> if_true;   // in an iteration that is not the last
  std::vector<StraightMove> moves;       // after those, in this order
  std::vector<uint32_t> emptied;         // slots that are empty after the moves
  std::vector<StraightAction> if_false;  // once, at the end
  std::vector<StraightExit> exits;       // after those
  std::vector<uint32_t> releases;
  std::vector<uint32_t> homes;  // by slot
};

// The frame's straight form; nothing where it has none. `inputs`: the plan's, to which those of the actions are added.
std::optional<StraightLoop> FindStraightLoop(const ExecPlan& plan, int32_t frame, std::vector<uint32_t>& inputs);

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_STRAIGHT_LOOP_H_
