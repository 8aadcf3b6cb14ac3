// Reads the public benchmark graphs of Tarnawski et al. (github.com/msr-fiddle/dnn-partitioning), JSON:
//
//   {maxSizePerFPGA: bytes, maxFPGAs: accelerators, maxCPUs: cores,
//    nodes: [{id, supportedOnFpga, cpuLatency, fpgaLatency, colorClass, size}],
//    edges: [{sourceId, destId, cost}]}
//
// Nodes of an equal colorClass share a device; without one, or with null, a node is alone. The cost of an edge is that
// of its source's output, so that edges of one source have one cost. Other members are ignored. Thread safety:
// functions without state.
#ifndef DFRUN_SRC_PLAN_READ_PLACEMENT_GRAPH_H_
#define DFRUN_SRC_PLAN_READ_PLACEMENT_GRAPH_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/plan/placement_problem.h"

namespace dfrun {

struct PlacementGraph {
  PlacementProblem problem;  // its nodes are in ascending order of their ids
  std::vector<int64_t> ids;  // by node
};

// Reads a text. InvalidArgument names the member that is missing or wrong; DataLoss where the text is no JSON. Safe on
// hostile text.
Result<PlacementGraph> ParsePlacementGraph(std::string_view text);

// Reads a file; its errors begin with the path. NoInput where it cannot be read.
Result<PlacementGraph> ReadPlacementGraph(const std::string& path);

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_READ_PLACEMENT_GRAPH_H_
