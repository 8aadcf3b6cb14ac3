// The times that nodes are expected to take on a machine.
#ifndef DFRUN_SRC_COSTS_PREDICT_H_
#define DFRUN_SRC_COSTS_PREDICT_H_

#include <string>
#include <string_view>

#include "src/costs/cost_table.h"
#include "src/graph/graph.h"

namespace dfrun {

struct PredictedTime {
  double seconds = 0;  // time of the kernel alone; CostTable::Executor() is beside it
  bool is_measured = false;
};

// The measured cost of the node where the table has one for its key (node_key.h); else that of its family's speed. A
// node of unknown cost takes its family's overhead. A node without inputs that costs nothing, as a constant or a
// variable, has its value before the step and takes no time.
// Thread safety: all functions from any thread.
PredictedTime NodeTime(const Graph& graph, const Node& node, std::string_view device_type, const CostTable& table);

// The executor's own time for the node and its edges, beside the kernel.
double ExecutorTime(const Node& node, const CostTable& table);

// The time by the speed of the node's family, whatever was measured.
double FittedTime(const Graph& graph, const Node& node, std::string_view device_type, const CostTable& table);

// DumpCosts() with " us=T measured" behind each node, or the family by whose speed its time was predicted, and a line
// of the sum. The type of a device is that of the node, or the host's where it has none.
std::string DumpTimes(const Graph& graph, const CostTable& table);

}  // namespace dfrun

#endif  // DFRUN_SRC_COSTS_PREDICT_H_
