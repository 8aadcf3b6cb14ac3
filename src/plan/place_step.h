// Chooses devices for the groups of a step by simulating it.
//
// Source: TensorFlow white paper (2015) section 3.2.1: a greedy heuristic that simulates the execution, and takes for
// each node the feasible device on which it ends soonest, the time of the messages included. Here it is one of several
// starts, from the best of which a local search moves groups, swaps them and brings connected ones together.
#ifndef DFRUN_SRC_PLAN_PLACE_STEP_H_
#define DFRUN_SRC_PLAN_PLACE_STEP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/plan/placed_graph.h"

namespace dfrun {

struct PlaceStepOptions {
  int64_t moves = 2000;  // so many changes are tried, at most
  double seconds = 0;    // not 0: as many as go into this time instead, by annealing
  uint64_t seed = 1;
};

// A placement, with what the simulation says of it.
struct StepPlacement {
  std::vector<int> device_of;  // by task
  double seconds = 0;
  double excess_bytes = 0;  // beyond the memory of devices; not 0: none was found that fits
  std::string start;        // the start that it comes from
};

// Starts, each of all groups: "rules" as the graph is placed; "one device"; "scopes" one behind the other; "earliest
// finish"; "least messages". One that does not fit into the memory is worse than any that does.
std::vector<StepPlacement> StartPlacements(const PlacedGraph& step);

// Finds a placement that is no worse than that of the graph and those starts. Equal arguments, without `seconds`, give
// an equal placement.
// Thread safety: any thread.
StepPlacement PlaceStep(const PlacedGraph& step, const PlaceStepOptions& options);

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_PLACE_STEP_H_
