// The costs of a graph's nodes, as far as their shapes are known.
#ifndef DFRUN_SRC_GRAPH_NODE_COST_H_
#define DFRUN_SRC_GRAPH_NODE_COST_H_

#include <functional>
#include <optional>
#include <string>

#include "src/framework/device/device_speed.h"
#include "src/framework/op/cost.h"
#include "src/graph/graph.h"

namespace dfrun {

// Returns nothing where a shape is not known that the cost depends on.
std::optional<OpCost> NodeCost(const Graph& graph, const Node& node);

// The time of a node of this cost on a device of this speed: the longer of its operations and its bytes. An unknown
// cost counts as a node's overhead alone.
double NodeSeconds(const std::optional<OpCost>& cost, const DeviceSpeed& speed);

// Returns a line a node, "name: Op flops=F read=B written=B" or "name: Op unknown", with the text of `more` behind it,
// and a line of the sums of all known costs.
std::string DumpCosts(const Graph& graph, const std::function<std::string(const Node&)>& more = {});

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_NODE_COST_H_
