#include "src/partition/predicate_proxies.h"

#include <algorithm>

#include "src/partition/deadness.h"

namespace dfrun {
namespace {

template <class Predicate>
bool AllSources(const Node& node, Predicate predicate) {
  return std::all_of(node.inputs.begin(), node.inputs.end(),
                     [&](Output input) { return !input.valid() || predicate(input); }) &&
         std::all_of(node.control_inputs.begin(), node.control_inputs.end(), [&](NodeId control) {
           return predicate(Output{control, -1});
         });
}

}  // namespace

PredicateProxies::PredicateProxies(const Graph& graph, const FrameTree& tree, const std::vector<NodeId>& order)
    : graph_(graph),
      tree_(tree),
      order_(order),
      may_be_dead_(FindDeadness(graph, order)),
      steers_(may_be_dead_.size()),
      live_(may_be_dead_.size(), true) {
  FindSteering();
  // A loop variable is alive if its NextIteration is. All are assumed to be alive, and those that are not are removed
  // until nothing changes.
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (NodeId id : order_) {
      if (!live_[id] || IsLive(graph_.node(id))) continue;
      live_[id] = false;
      is_changed = true;
    }
  }
}

Output PredicateProxies::Find(const std::string& device, NodeId cond) const {
  const int32_t frame = tree_.of_node[cond];
  std::vector<Output> signals;
  for (NodeId id : order_) {
    const Node& reader = graph_.node(id);
    if (reader.device != device) continue;
    for (const Output& input : reader.inputs) {
      if (input.node == cond) return Output();
      if (!input.valid() || !IsTrueSide(input) || graph_.node(input.node).inputs[1].node != cond) continue;
      if (graph_.node(input.node).device != device && IsLive(input)) signals.push_back(input);
    }
    const std::vector<NodeId>& controls = reader.control_inputs;
    if (std::find(controls.begin(), controls.end(), cond) != controls.end()) return Output();
  }
  const auto found =
      std::find_if(signals.begin(), signals.end(), [&](Output signal) { return DependsOn(signal, device, frame); });
  return found != signals.end() ? *found : Output();
}

// Returns true if the node runs in iterations of the frame or of frames inside it.
bool PredicateProxies::IsIn(NodeId id, int32_t frame) const {
  int32_t in = tree_.of_node[id];
  while (in > frame) in = tree_.frames[in].parent;
  return in == frame;
}

// All nodes but Merge and ControlTrigger pass deadness on, so a value from which a condition is computed is alive if
// the condition is.
void PredicateProxies::FindSteering() {
  for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
    const Node& node = graph_.node(*it);
    const ControlFlowKind kind = KindOf(*it);
    steers_[*it] = steers_[*it] || kind == ControlFlowKind::kLoopCond;
    if (!steers_[*it] || (kind != ControlFlowKind::kNone && kind != ControlFlowKind::kLoopCond)) continue;
    for (const Output& input : node.inputs) steers_[input.node] = true;
    for (NodeId control : node.control_inputs) steers_[control] = true;
  }
}

bool PredicateProxies::IsLive(const Node& node) const {
  if (steers_[node.id]) return true;
  const auto is_live = [&](Output source) { return IsLive(source); };
  switch (KindOf(node.id)) {
    case ControlFlowKind::kControlTrigger:
      return true;
    case ControlFlowKind::kEnter:
      return !may_be_dead_[node.inputs[0].node] ||
             (KindOf(node.inputs[0].node) == ControlFlowKind::kEnter && live_[node.inputs[0].node]);
    case ControlFlowKind::kMerge:
      return node.num_inputs() == 2 && graph_.IsBackEdge(node, 1) && AllSources(node, is_live);
    case ControlFlowKind::kExit:
      return false;
    default:
      return AllSources(node, is_live);
  }
}

bool PredicateProxies::IsLive(Output value) const {
  const bool is_switch = KindOf(value.node) == ControlFlowKind::kSwitch;
  return live_[value.node] && (!is_switch || IsTrueSide(value));
}

bool PredicateProxies::IsTrueSide(Output value) const {
  if (KindOf(value.node) != ControlFlowKind::kSwitch || value.port != 1) return false;
  const NodeId predicate = graph_.node(value.node).inputs[1].node;
  return KindOf(predicate) == ControlFlowKind::kLoopCond && tree_.of_node[predicate] == tree_.of_node[value.node];
}

// Returns true where every node of the device in the frame waits for the value of its iteration.
bool PredicateProxies::DependsOn(Output signal, const std::string& device, int32_t frame) const {
  std::vector<bool> waits(live_.size());
  for (NodeId id : order_) {
    const Node& node = graph_.node(id);
    if (!IsIn(id, frame) || KindOf(id) == ControlFlowKind::kNextIteration) continue;
    waits[id] = !AllSources(node, [&](Output source) { return source != signal && !waits[source.node]; });
    if (node.device == device && !waits[id]) return false;
  }
  return true;
}

}  // namespace dfrun
