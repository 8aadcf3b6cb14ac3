#include "src/autodiff/forward_loops.h"

#include "src/autodiff/branches.h"

namespace dfrun {
namespace {

bool IsKind(const Graph& graph, NodeId id, ControlFlowKind kind) {
  return graph.node(id).op->traits.control_flow == kind;
}

Result<LoopVariable> FindVariable(const Graph& graph, const Consumers& consumers, const Node& merge) {
  LoopVariable variable;
  variable.merge = merge.id;
  for (Output input : merge.inputs) {
    if (IsKind(graph, input.node, ControlFlowKind::kEnter)) variable.enter = input.node;
    if (IsKind(graph, input.node, ControlFlowKind::kNextIteration)) variable.next_iteration = input.node;
  }
  if (merge.num_inputs() != 2 || variable.enter < 0 || variable.next_iteration < 0) {
    return Unimplemented(graph.Describe(merge.id),
                         ": the gradient of a loop variable that is not merged from one Enter and one NextIteration");
  }
  for (const Consumers::Edge& edge : consumers.of(merge.id)) {
    if (edge.port != 0 || edge.input != 0 || !IsLoopSwitch(graph, graph.node(edge.node))) continue;
    variable.leaves = edge.node;
    for (const Consumers::Edge& out : consumers.of(edge.node)) {
      if (out.port == 0 && IsKind(graph, out.node, ControlFlowKind::kExit)) variable.exits.push_back(out.node);
    }
  }
  return variable;
}

// Returns the unit of `frame` that holds `inner`, a frame inside it.
int32_t ChildToward(const FrameTree& frames, int32_t frame, int32_t inner) {
  while (frames.frames[inner].parent != frame) inner = frames.frames[inner].parent;
  return inner;
}

// One call of OrderUnits(). Units are numbered: nodes by id, then loops by frame.
class UnitOrder {
 public:
  UnitOrder(const Graph& graph, const FrameTree& frames) : graph_(graph), frames_(frames) {
    const auto n = static_cast<size_t>(graph.num_nodes()) + frames.frames.size();
    readers_.resize(n);
    pending_.assign(n, 0);
  }

  std::vector<std::vector<FlowUnit>> Run(const std::vector<NodeId>& order) {
    if (frames_.frames.size() == 1) return {WithoutLoops(order)};
    for (const Node& node : graph_.nodes()) AddEdges(node);
    for (size_t f = 1; f < frames_.frames.size(); ++f) {
      for (NodeId enter : frames_.frames[f].enters) AddEdge(enter, LoopUnit(static_cast<int32_t>(f)));
    }
    std::vector<int32_t> ready;
    std::vector<std::vector<FlowUnit>> units(frames_.frames.size());
    for (NodeId id : order) {
      if (pending_[id] == 0) ready.push_back(id);
    }
    for (size_t f = 1; f < frames_.frames.size(); ++f) {
      if (pending_[LoopUnit(static_cast<int32_t>(f))] == 0) ready.push_back(LoopUnit(static_cast<int32_t>(f)));
    }
    for (size_t i = 0; i < ready.size(); ++i) {
      const int32_t unit = ready[i];
      Insert(unit, units);
      for (int32_t reader : readers_[unit]) {
        if (--pending_[reader] == 0) ready.push_back(reader);
      }
    }
    return units;
  }

 private:
  static std::vector<FlowUnit> WithoutLoops(const std::vector<NodeId>& order) {
    std::vector<FlowUnit> units;
    units.reserve(order.size());
    for (NodeId id : order) units.push_back({id, -1});
    return units;
  }
  int32_t LoopUnit(int32_t frame) const { return graph_.num_nodes() + frame; }
  void AddEdge(int32_t from, int32_t to) {
    readers_[from].push_back(to);
    ++pending_[to];
  }

  void AddEdges(const Node& node) {
    for (int i = 0; i < node.num_inputs(); ++i) {
      if (node.inputs[i].valid() && !graph_.IsBackEdge(node, i)) AddRead(node.inputs[i].node, node.id);
    }
    for (NodeId id : node.control_inputs) AddRead(id, node.id);
  }

  void AddRead(NodeId source, NodeId reader) {
    const int32_t to = frames_.of_node[reader];
    const int32_t from = frames_.of_node[source];
    const ControlFlowKind kind = graph_.node(source).op->traits.control_flow;
    if (kind == ControlFlowKind::kEnter && frames_.of_outputs[source] == to) return;  // the Enter's loop waits for it
    if (from == to) {
      AddEdge(source, reader);
    } else if (kind == ControlFlowKind::kExit) {
      AddEdge(LoopUnit(from), reader);
    } else {
      AddEdge(source, LoopUnit(ChildToward(frames_, from, to)));  // read in a loop without an Enter: a constant
    }
  }

  void Insert(int32_t unit, std::vector<std::vector<FlowUnit>>& units) const {
    if (unit < graph_.num_nodes()) {
      units[frames_.of_node[unit]].push_back({unit, -1});
    } else {
      const int32_t loop = unit - graph_.num_nodes();
      if (loop > 0) units[frames_.frames[loop].parent].push_back({-1, loop});
    }
  }

  const Graph& graph_;
  const FrameTree& frames_;
  std::vector<std::vector<int32_t>> readers_;
  std::vector<int32_t> pending_;
};

}  // namespace

Result<ForwardLoop> FindLoop(const Graph& graph, const FrameTree& frames, const Consumers& consumers,
                             const std::vector<NodeId>& nodes_of_frame, int32_t frame) {
  ForwardLoop loop;
  for (NodeId id : nodes_of_frame) {
    const Node& node = graph.node(id);
    if (IsKind(graph, id, ControlFlowKind::kLoopCond)) {
      if (loop.condition >= 0) {
        return Unimplemented(graph.Describe(id), ": the gradient of loop '", frames.frames[frame].name,
                             "', which has two conditions; the other is '", graph.node(loop.condition).name, "'");
      }
      loop.condition = id;
    } else if (node.op->traits.control_flow == ControlFlowKind::kMerge && IsLoopMerge(graph, node)) {
      DF_ASSIGN(LoopVariable variable, FindVariable(graph, consumers, node));
      loop.variables.push_back(std::move(variable));
    }
  }
  if (loop.condition < 0) {
    return Unimplemented("the gradient of loop '", frames.frames[frame].name, "', which has no LoopCond");
  }
  for (NodeId enter : frames.frames[frame].enters) {
    DF_ASSIGN(const bool is_constant, graph.node(enter).attrs.Get<bool>("is_constant"));
    if (is_constant) loop.constants.push_back(enter);
  }
  return loop;
}

std::vector<std::vector<FlowUnit>> OrderUnits(const Graph& graph, const FrameTree& frames,
                                              const std::vector<NodeId>& order) {
  return UnitOrder(graph, frames).Run(order);
}

}  // namespace dfrun
