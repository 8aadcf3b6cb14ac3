// Random steps for tests of their simulation and placement.
#ifndef DFRUN_TESTS_UNIT_PLAN_RANDOM_STEP_H_
#define DFRUN_TESTS_UNIT_PLAN_RANDOM_STEP_H_

#include <cstdint>

#include "src/plan/placed_graph.h"

namespace dfrun {

// Returns a step of so many tasks, each a group of its own, on device 0 of so many devices; each task waits for up to
// three before it. Some hold state, some waits count on one device alone. Equal arguments give an equal step.
PlacedGraph RandomStep(int tasks, int devices, uint64_t seed);

}  // namespace dfrun

#endif  // DFRUN_TESTS_UNIT_PLAN_RANDOM_STEP_H_
