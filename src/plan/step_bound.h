// Lower bounds of the time of a step: what no placement of its nodes on these devices is below.
//
// Each has its proof beside its code. They hold for placements that keep colocation groups together and nodes on the
// ranks that the spec binds them to; a device does one node at a time, the messages of a rank to other hosts
// share one port, those from other hosts another, and it copies one at a time that comes from its own host.
//
// Thread safety: functions without state.
#ifndef DFRUN_SRC_PLAN_STEP_BOUND_H_
#define DFRUN_SRC_PLAN_STEP_BOUND_H_

#include "src/plan/lower_bound.h"
#include "src/plan/step_graph.h"
#include "src/plan/step_units.h"

namespace dfrun {

// Returns the largest of the bounds below, in seconds, with what causes it.
PlacementBound BoundOfStep(const StepGraph& step, const StepUnits& units);

// The longest chain of tasks that wait for each other.
PlacementBound ChainBound(const StepGraph& step, const StepUnits& units);
// The work of all units on all devices, within their memory.
PlacementBound WorkBound(const StepUnits& units);
// The work of the unit that takes longest.
PlacementBound UnitBound(const StepUnits& units);
// The bytes that must leave a rank which nodes are bound to, or must come to it.
PlacementBound CutBound(const StepUnits& units);

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_STEP_BOUND_H_
