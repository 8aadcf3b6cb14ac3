#include "src/graph/trip_counts.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "src/base/integers.h"
#include "src/graph/control_flow.h"

namespace dfrun {
namespace {

constexpr int kMaxDepth = 64;
// Sums of a few numbers that are no larger do not overflow.
constexpr int64_t kMaxNumber = int64_t{1} << 60;

ControlFlowKind KindOf(const Node& node) {
  return node.op->traits.control_flow;
}

// An integer variable of a loop: its first value, and what each turn adds to it.
struct Counter {
  int64_t first = 0;
  int64_t step = 0;
};

// The counters and conditions of one graph.
class LoopConditions {
 public:
  explicit LoopConditions(const Graph& graph) : graph_(graph) {}

  // The number of turns for which the condition can be true.
  std::optional<TripCount> TurnsOf(Output condition, int depth = 0) const {
    const Node& node = graph_.node(Origin(condition).node);
    if (node.num_inputs() != 2 || depth > kMaxDepth) return {};
    if (node.op->name == "LogicalAnd") return TurnsOfBoth(node, depth);
    const std::optional<int64_t> turns = TurnsOfComparison(node);
    return turns ? std::optional(TripCount{*turns, true}) : std::nullopt;
  }

 private:
  std::optional<TripCount> TurnsOfBoth(const Node& both, int depth) const {
    const std::optional<TripCount> a = TurnsOf(both.inputs[0], depth + 1);
    const std::optional<TripCount> b = TurnsOf(both.inputs[1], depth + 1);
    if (!a && !b) return {};
    if (!a || !b) return TripCount{(a ? a : b)->turns, false};
    return TripCount{std::min(a->turns, b->turns), a->is_exact && b->is_exact};
  }

  // The node that makes a value, which the nodes behind it hand on within a turn or into the loop.
  Output Origin(Output output) const {
    for (int depth = 0; depth < kMaxDepth; ++depth) {
      const Node& node = graph_.node(output.node);
      const ControlFlowKind kind = KindOf(node);
      const bool hands_on = kind == ControlFlowKind::kSwitch || kind == ControlFlowKind::kEnter ||
                            kind == ControlFlowKind::kNextIteration || node.op->name == "Identity";
      if (!hands_on || !node.inputs[0].valid()) break;
      output = node.inputs[0];
    }
    return output;
  }

  std::optional<int64_t> ConstantOf(Output output) const {
    const Tensor* const value = graph_.ConstantValue(Origin(output));
    if (value == nullptr || value->num_elements() != 1) return {};
    if (value->dtype() == DType::kInt32) return *value->data<int32_t>();
    if (value->dtype() != DType::kInt64) return {};
    const int64_t number = *value->data<int64_t>();
    return number >= -kMaxNumber && number <= kMaxNumber ? std::optional(number) : std::nullopt;
  }

  std::optional<Counter> CounterOf(Output output) const {
    const Node& merge = graph_.node(Origin(output).node);
    if (KindOf(merge) != ControlFlowKind::kMerge || merge.num_inputs() != 2 || !graph_.IsBackEdge(merge, 1)) return {};
    const std::optional<int64_t> first = ConstantOf(merge.inputs[0]);
    const Node& next = graph_.node(Origin(merge.inputs[1]).node);
    const bool adds = next.op->name == "Add" || next.op->name == "AddV2";
    if (!first || next.num_inputs() != 2 || (!adds && next.op->name != "Sub")) return {};
    const bool is_swapped = adds && Origin(next.inputs[1]).node == merge.id;
    if (Origin(next.inputs[is_swapped ? 1 : 0]).node != merge.id) return {};
    const std::optional<int64_t> step = ConstantOf(next.inputs[is_swapped ? 0 : 1]);
    if (!step) return {};
    return Counter{*first, adds ? *step : -*step};
  }

  // The turns while `counter < limit`, or `counter <= limit`.
  static std::optional<int64_t> TurnsBelow(Counter counter, int64_t limit, bool or_equal) {
    const int64_t distance = limit + (or_equal ? 1 : 0) - counter.first;
    if (distance <= 0) return 0;
    if (counter.step <= 0) return {};
    return CeilDiv(distance, counter.step);
  }

  std::optional<int64_t> TurnsOfComparison(const Node& node) const {
    const std::string_view op = node.op->name;
    const bool is_less = op == "Less" || op == "LessEqual";
    const bool is_greater = op == "Greater" || op == "GreaterEqual";
    if (!is_less && !is_greater) return {};
    const bool or_equal = op == "LessEqual" || op == "GreaterEqual";
    for (const int at : {0, 1}) {
      const std::optional<Counter> counter = CounterOf(node.inputs[at]);
      const std::optional<int64_t> limit = counter ? ConstantOf(node.inputs[1 - at]) : std::nullopt;
      if (!limit) continue;
      // A counter that falls to a limit is the negative of one that rises.
      if (is_less == (at == 0)) return TurnsBelow(*counter, *limit, or_equal);
      return TurnsBelow({-counter->first, -counter->step}, -*limit, or_equal);
    }
    return {};
  }

  const Graph& graph_;
};

// By node, whether it runs in the turn in which its loop ends too: it is a variable of the loop, or leads to the
// condition.
std::vector<bool> RunOnceMore(const Graph& graph, const FrameTree& tree) {
  std::vector<bool> once_more(static_cast<size_t>(graph.num_nodes()), false);
  std::vector<NodeId> todo;
  const auto add = [&](NodeId id) {
    if (once_more[id]) return;
    once_more[id] = true;
    todo.push_back(id);
  };
  for (const Node& node : graph.nodes()) {
    const ControlFlowKind kind = KindOf(node);
    const bool is_variable = kind == ControlFlowKind::kMerge && node.num_inputs() == 2 && graph.IsBackEdge(node, 1);
    const bool leads_on =
        kind == ControlFlowKind::kSwitch && KindOf(graph.node(node.inputs[1].node)) == ControlFlowKind::kLoopCond;
    if (is_variable || leads_on || kind == ControlFlowKind::kLoopCond) add(node.id);
  }
  while (!todo.empty()) {
    const Node& node = graph.node(todo.back());
    todo.pop_back();
    for (int i = 0; i < node.num_inputs(); ++i) {
      const Output input = node.inputs[i];
      if (!input.valid() || graph.IsBackEdge(node, i)) continue;
      if (tree.of_node[input.node] == tree.of_node[node.id]) add(input.node);
    }
  }
  return once_more;
}

}  // namespace

void FindTripCounts(const Graph& graph, TripCounts& counts) {
  if (!HasControlFlow(graph)) return;
  const Result<FrameTree> tree = BuildFrameTree(graph);
  if (!tree.ok()) return;
  const LoopConditions conditions(graph);
  for (const Node& node : graph.nodes()) {
    if (KindOf(node) != ControlFlowKind::kLoopCond || !node.inputs[0].valid()) continue;
    const int32_t frame = tree->of_node[node.id];
    const std::optional<TripCount> turns = conditions.TurnsOf(node.inputs[0]);
    if (turns && frame != 0) counts.insert_or_assign(tree->frames[static_cast<size_t>(frame)].name, *turns);
  }
}

std::vector<NodeRuns> CountRuns(const Graph& graph, const TripCounts& counts) {
  std::vector<NodeRuns> runs(static_cast<size_t>(graph.num_nodes()));
  if (!HasControlFlow(graph)) return runs;
  const Result<FrameTree> tree = BuildFrameTree(graph);
  if (!tree.ok()) return runs;
  const std::vector<bool> once_more = RunOnceMore(graph, *tree);
  std::vector<NodeRuns> of_body(tree->frames.size());  // by frame
  for (size_t f = 1; f < tree->frames.size(); ++f) {
    const Frame& frame = tree->frames[f];
    const auto found = counts.find(frame.name);
    const NodeRuns& outer = of_body[static_cast<size_t>(frame.parent)];
    const double turns = found == counts.end() ? 1 : static_cast<double>(found->second.turns);
    of_body[f] = {outer.times * turns, outer.is_exact && found != counts.end() && found->second.is_exact};
  }
  for (const Node& node : graph.nodes()) {
    const auto f = static_cast<size_t>(tree->of_node[node.id]);
    if (f == 0) continue;
    const NodeRuns& outer = of_body[static_cast<size_t>(tree->frames[f].parent)];
    const bool leaves = KindOf(node) == ControlFlowKind::kExit;
    const bool ends = once_more[node.id] && counts.contains(tree->frames[f].name);
    runs[node.id] = {leaves ? outer.times : of_body[f].times + (ends ? outer.times : 0), of_body[f].is_exact};
  }
  return runs;
}

}  // namespace dfrun
