#include "src/training/order/guards.h"

#include <algorithm>
#include <iterator>

#include "src/base/sort_unique.h"

namespace dfrun {

Guards::Guards(const Graph& graph, const std::vector<NodeId>& order, const FrameTree& frames)
    : sides_(static_cast<size_t>(graph.num_nodes())) {
  for (const NodeId id : order) sides_[static_cast<size_t>(id)] = Of(graph, graph.node(id), frames);
}

bool Guards::RunsWherever(NodeId node, NodeId other) const {
  const Sides& needed = sides_[static_cast<size_t>(node)];
  const Sides& given = sides_[static_cast<size_t>(other)];
  return std::includes(given.begin(), given.end(), needed.begin(), needed.end());
}

Guards::Sides Guards::Of(const Graph& graph, const Node& node, const FrameTree& frames) const {
  const int32_t frame = frames.of_node[static_cast<size_t>(node.id)];
  switch (node.op->traits.control_flow) {
    case ControlFlowKind::kControlTrigger:
      return {};
    case ControlFlowKind::kMerge:
      return frame == 0 ? OfMerge(graph, node) : Sides();
    case ControlFlowKind::kExit: {
      Sides all;
      for (const NodeId enter : frames.frames[static_cast<size_t>(frame)].enters) {
        const Sides more = OfSources(graph, graph.node(enter));
        all.insert(all.end(), more.begin(), more.end());
      }
      SortUnique(all);
      return all;
    }
    default:
      return frame == 0 ? OfSources(graph, node) : Sides();
  }
}

Guards::Sides Guards::OfInput(const Graph& graph, Output input) const {
  Sides sides = sides_[static_cast<size_t>(input.node)];
  const Node& source = graph.node(input.node);
  if (source.op->traits.control_flow == ControlFlowKind::kSwitch) {
    sides.emplace_back(source.inputs[1].node, source.inputs[1].port, input.port);
    SortUnique(sides);
  }
  return sides;
}

Guards::Sides Guards::OfSources(const Graph& graph, const Node& node) const {
  Sides all;
  const auto add = [&](const Sides& more) { all.insert(all.end(), more.begin(), more.end()); };
  for (const Output& input : node.inputs) {
    if (input.valid()) add(OfInput(graph, input));
  }
  for (const NodeId control : node.control_inputs) add(sides_[static_cast<size_t>(control)]);
  SortUnique(all);
  return all;
}

Guards::Sides Guards::OfMerge(const Graph& graph, const Node& node) const {
  Sides common = OfInput(graph, node.inputs[0]);
  for (const Output& input : node.inputs) {
    const Sides sides = OfInput(graph, input);
    Sides both;
    std::set_intersection(common.begin(), common.end(), sides.begin(), sides.end(), std::back_inserter(both));
    common = std::move(both);
  }
  const auto own = [&](Output input) {
    const Sides sides = OfInput(graph, input);
    Sides rest;
    std::set_difference(sides.begin(), sides.end(), common.begin(), common.end(), std::back_inserter(rest));
    return rest;
  };
  if (node.num_inputs() == 2) {
    const Sides first = own(node.inputs[0]);
    const Sides second = own(node.inputs[1]);
    if (first.empty() || second.empty()) return common;
    const auto& [pred, port, side] = first[0];
    const bool is_whole = first.size() == 1 && second == Sides{{pred, port, 1 - side}};
    if (is_whole) return common;
  }
  common.emplace_back(-1, node.id, 0);
  SortUnique(common);
  return common;
}

}  // namespace dfrun
