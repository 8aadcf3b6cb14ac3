// The file of a placement, which a run writes and people may edit. One JSON object:
//
//   {"written_by": "dfrun", "form": 1, "kind": "simulated", "ranks": 2, "seconds": 0.00037, "rules_s": 0.00071,
//    "nodes": {
//     "W": "/job:worker/task:0/device:cpu:0",
//     "layer/MatMul": "/job:worker/task:1/device:cpu:0"}}
//
// Only `nodes` is needed; the other members are for people.
#ifndef DFRUN_SRC_GRAPH_PLACEMENT_FILE_H_
#define DFRUN_SRC_GRAPH_PLACEMENT_FILE_H_

#include <cstdint>
#include <string>

#include "src/base/status.h"
#include "src/graph/node_placement.h"

namespace dfrun {

// How a placement came about: by the rules, a search, learning, a file that the spec names, or the run that is resumed.
enum class PlacedBy : uint8_t { kRules, kSimulation, kLearning, kFile, kResumedRun };

// The facts that a file of a placement has beside it. Times are of a step, by the simulation; 0: not known.
struct PlacementFacts {
  PlacedBy kind = PlacedBy::kRules;
  int ranks = 0;
  double seconds = 0;
  double rules_s = 0;
};

// The text of the file.
std::string PrintPlacement(const NodePlacement& placement, const PlacementFacts& facts);

// Reads a file. NoInput where it is not there; DataLoss where it is no placement, or too long. Members that are not
// known are passed over. Safe on hostile files.
Result<NodePlacement> ReadPlacement(const std::string& path);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_PLACEMENT_FILE_H_
