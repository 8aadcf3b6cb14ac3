// Small random placement problems, their costs by the definitions alone, and their optima by enumeration.
#ifndef DFRUN_TESTS_UNIT_PLAN_RANDOM_PROBLEM_H_
#define DFRUN_TESTS_UNIT_PLAN_RANDOM_PROBLEM_H_

#include <cstdint>

#include "src/plan/placement_problem.h"

namespace dfrun {

struct RandomProblemOptions {
  int groups = 6;
  int nodes = 9;  // not fewer than groups
  int accelerators = 2;
  int cpus = 1;
  double memory = 0.6;  // memory of an accelerator, as a share of all sizes
};

// Returns an acyclic problem. Equal arguments give an equal one.
PlacementProblem RandomProblem(const RandomProblemOptions& options, uint64_t seed);

// Returns the cost from the definitions, which shares no code with src/plan; infinity where the placement is not
// allowed.
double CostByDefinition(const PlacementProblem& problem, PlacementObjective objective, const Placement& placement);

// Returns the least cost of all placements.
double OptimumByEnumeration(const PlacementProblem& problem, PlacementObjective objective);

}  // namespace dfrun

#endif  // DFRUN_TESTS_UNIT_PLAN_RANDOM_PROBLEM_H_
