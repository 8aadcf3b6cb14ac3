#include "src/costs/predict.h"

#include <cstdio>
#include <optional>

#include "src/costs/node_key.h"
#include "src/framework/device/device_name.h"
#include "src/framework/device/device_types.h"
#include "src/graph/node_cost.h"

namespace dfrun {
namespace {

// Whether the node has its value before the first step.
bool IsHeld(const Node& node, const std::optional<OpCost>& cost) {
  return node.inputs.empty() && !node.output_types.empty() && cost && *cost == OpCost();
}

std::string TypeOf(const Node& node) {
  const Result<DeviceName> name = DeviceName::Parse(node.device);
  return name.ok() && name->type ? *name->type : std::string(HostDeviceType());
}

std::string Microseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", seconds * 1e6);
  return text;
}

}  // namespace

double FittedTime(const Graph& graph, const Node& node, std::string_view device_type, const CostTable& table) {
  const std::optional<OpCost> cost = NodeCost(graph, node);
  if (IsHeld(node, cost)) return 0;
  const NodeSpeed speed = table.Node(device_type, FamilyOf(graph, node));
  return NodeSeconds(cost, {speed.flops_per_s, speed.bytes_per_s, speed.overhead_s, 0, 0});
}

PredictedTime NodeTime(const Graph& graph, const Node& node, std::string_view device_type, const CostTable& table) {
  const auto threads = static_cast<int>(table.threads);
  const MeasuredCost* const measured =
      table.num_measured() == 0 ? nullptr : table.Measured(NodeKey(graph, node, device_type, threads));
  if (measured != nullptr) return {measured->seconds, true};
  return {FittedTime(graph, node, device_type, table), false};
}

double ExecutorTime(const Node& node, const CostTable& table) {
  const ExecutorSpeed executor = table.Executor();
  return executor.node_s + static_cast<double>(node.inputs.size() + node.control_inputs.size()) * executor.edge_s;
}

std::string DumpTimes(const Graph& graph, const CostTable& table) {
  double sum_s = 0;
  int measured = 0;
  const std::string costs = DumpCosts(graph, [&](const Node& node) {
    const PredictedTime time = NodeTime(graph, node, TypeOf(node), table);
    sum_s += time.seconds;
    measured += time.is_measured ? 1 : 0;
    return StrCat(" us=", Microseconds(time.seconds), " ",
                  time.is_measured ? "measured" : FamilyName(FamilyOf(graph, node)));
  });
  return StrCat(costs, "# predicted: us=", Microseconds(sum_s), "; measured: ", measured, " of ", graph.num_nodes(),
                " nodes\n");
}

}  // namespace dfrun
