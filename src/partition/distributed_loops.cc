#include "src/partition/distributed_loops.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "src/partition/enter_merges.h"
#include "src/partition/loop_termination.h"
#include "src/partition/predicate_proxies.h"

namespace dfrun {
namespace {

// Moves nodes that lead into and out of iterations to the device that reads or makes their value.
class BoundaryMover {
 public:
  explicit BoundaryMover(Graph& graph) : graph_(graph), readers_(static_cast<size_t>(graph.num_nodes())) {
    for (const Node& node : graph.nodes()) AddReads(node.id);
  }

  Status Run() {
    DF_ASSIGN(const std::vector<NodeId> order, graph_.TopologicalOrder());
    for (NodeId id : order) {
      const Node& node = graph_.node(id);
      if (KindOf(id) != ControlFlowKind::kExit || IsBound(node)) continue;
      graph_.mutable_node(id).device = graph_.node(node.inputs[0].node).device;
    }
    // Readers come first: the device of an Enter decides where the Enter that it reads is needed.
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      const ControlFlowKind kind = KindOf(*it);
      const bool leads_in = kind == ControlFlowKind::kEnter || kind == ControlFlowKind::kNextIteration;
      if (leads_in && !IsBound(graph_.node(*it))) MoveToReaders(*it);
    }
    return Status();
  }

 private:
  ControlFlowKind KindOf(NodeId id) const { return graph_.node(id).op->traits.control_flow; }

  // Returns true for a value that has a meaning on its own device alone.
  static bool IsBound(const Node& node) { return node.output_types[0].is_ref || IsHandle(node.output_types[0].dtype); }

  void AddReads(NodeId reader) {
    const Node& node = graph_.node(reader);
    for (const Output& input : node.inputs) {
      if (input.valid()) readers_[input.node].insert(reader);
    }
    for (NodeId control : node.control_inputs) readers_[control].insert(reader);
  }

  void MoveToReaders(NodeId id) {
    std::map<std::string_view, std::vector<NodeId>> by_device;
    for (NodeId reader : readers_[id]) by_device[graph_.node(reader).device].push_back(reader);
    if (by_device.empty()) return;
    const auto own = by_device.find(graph_.node(id).device);
    const std::string kept(own != by_device.end() ? own->first : by_device.begin()->first);
    graph_.mutable_node(id).device = kept;
    for (const auto& [device, readers] : by_device) {
      if (device == kept) continue;
      const NodeId copy = Copy(id, std::string(device));
      for (NodeId reader : readers) Redirect(reader, id, copy);
    }
  }

  NodeId Copy(NodeId id, const std::string& device) {
    Node node = graph_.node(id);
    node.name = graph_.UniqueName(node.name);
    node.device = device;
    const NodeId copy = graph_.AddResolved(std::move(node));
    readers_.emplace_back();
    AddReads(copy);
    return copy;
  }

  void Redirect(NodeId reader, NodeId from, NodeId to) {
    Node& node = graph_.mutable_node(reader);
    for (Output& input : node.inputs) {
      if (input.node == from) input.node = to;
    }
    std::replace(node.control_inputs.begin(), node.control_inputs.end(), from, to);
    std::sort(node.control_inputs.begin(), node.control_inputs.end());
    readers_[to].insert(reader);
  }

  Graph& graph_;
  std::vector<std::set<NodeId>> readers_;
};

// Adds the control loops.
class LoopPredicateSender {
 public:
  LoopPredicateSender(Graph& graph, DistributedFrames& frames)
      : graph_(graph), frames_(frames), devices_(frames.tree.frames.size()), spans_(devices_.size()) {}

  Status Run() {
    FindDevices();
    if (std::none_of(spans_.begin(), spans_.end(), [](bool spans) { return spans; })) return Status();
    DF_ASSIGN(const std::vector<NodeId> order, graph_.TopologicalOrder());
    const PredicateProxies signals(graph_, frames_.tree, order);
    for (size_t f = 1; f < devices_.size(); ++f) {
      if (!spans_[f]) continue;
      DF_ASSIGN(const NodeId cond, FindCondition(static_cast<int32_t>(f)));
      for (const std::string& device : devices_[f]) {
        DF_TRY(AddLoop(static_cast<int32_t>(f), device, cond, signals.Find(device, cond)));
      }
      DF_TRY(AddAnswers(static_cast<int32_t>(f), graph_.node(cond).device));
    }
    return Status();
  }

 private:
  void FindDevices() {
    for (const Node& node : graph_.nodes()) {
      devices_[frames_.tree.of_node[node.id]].insert(node.device);
      devices_[std::max(frames_.tree.of_outputs[node.id], 0)].insert(node.device);
    }
    for (size_t f = devices_.size() - 1; f > 0; --f) {
      spans_[f] = spans_[f] || devices_[f].size() > 1;
      if (!spans_[f]) continue;
      // Each iteration of the outer frame begins the inner frame on all of the inner frame's devices.
      const int32_t outer = frames_.tree.frames[f].parent;
      devices_[outer].insert(devices_[f].begin(), devices_[f].end());
      spans_[outer] = true;
    }
  }

  Result<NodeId> FindCondition(int32_t frame) const {
    NodeId found = -1;
    for (const Node& node : graph_.nodes()) {
      if (static_cast<size_t>(node.id) >= frames_.tree.of_node.size()) break;
      if (frames_.tree.of_node[node.id] != frame || node.op->name != "LoopCond") continue;
      if (found >= 0) {
        return InvalidArgument(graph_.Describe(node.id), " is the second LoopCond of the loop '",
                               frames_.tree.frames[frame].name, "', after '", graph_.node(found).name,
                               "'; a loop across devices has one");
      }
      found = node.id;
    }
    if (found < 0) {
      return InvalidArgument("the loop '", frames_.tree.frames[frame].name, "' has nodes on ", *devices_[frame].begin(),
                             " and ", *devices_[frame].rbegin(),
                             ", but no LoopCond that tells them when it ends; place it on one device");
    }
    return found;
  }

  // `signal`: a value whose deadness tells the device whether the loop goes on (predicate_proxies.h); if invalid,
  // `cond` is sent.
  Status AddLoop(int32_t f, const std::string& device, NodeId cond, Output signal) {
    const Frame& frame = frames_.tree.frames[f];
    NodeId source = -1;
    if (frame.parent == 0) {
      DF_ASSIGN(source, AddFirst(f, "Const", device, {}, {{"dtype", DType::kBool}, {"value", Tensor::Scalar(true)}}));
    } else {
      source = frames_.drivers.at({frame.parent, device});
    }
    const AttrMap enter = {{"frame_name", frame.name}, {"parallel_iterations", frame.parallel_iterations}};
    DF_ASSIGN(const NodeId entered, AddFirst(f, "Enter", device, {{source, 0}}, enter));
    DF_ASSIGN(const NodeId merge, AddFirst(f, "Merge", device, {{entered, 0}, Output{}},
                                           {{"T", DType::kBool}, {"N", static_cast<int64_t>(2)}}));
    graph_.mutable_node(merge).output_shapes[0] = PartialShape::Scalar();  // not known before the loop is closed
    NodeId next = -1;
    if (signal.valid()) {
      DF_ASSIGN(const NodeId goes_on, Add(f, "Identity", device, {signal}, {}));
      DF_ASSIGN(next, Add(f, "NextIteration", device, {{merge, 0}}, {}, {goes_on}));
    } else {
      DF_ASSIGN(const NodeId branch, Add(f, "Switch", device, {{merge, 0}, {cond, 0}}, {}));
      DF_ASSIGN(next, Add(f, "NextIteration", device, {{branch, 1}}, {}));
    }
    frames_.drivers[{f, device}] = merge;
    return graph_.SetInput(merge, 1, {next, 0});
  }

  // `owner`: the device of the frame's condition.
  Status AddAnswers(int32_t f, const std::string& owner) {
    const std::set<std::string> answering = DevicesReadOn(owner, f);
    for (const std::string& device : devices_[f]) {
      if (device == owner || answering.count(device) > 0) continue;
      DF_TRY(Add(f, "NoOp", owner, {}, {}, {frames_.drivers.at({f, device})}).status());
    }
    return Status();
  }

  // The devices from which `device` reads values of the frame's iterations.
  std::set<std::string> DevicesReadOn(const std::string& device, int32_t f) const {
    std::set<std::string> read;
    const auto note = [&](NodeId source) {
      const auto known = static_cast<NodeId>(frames_.tree.of_outputs.size());
      if (source >= 0 && source < known && frames_.tree.of_outputs[source] == f)
        read.insert(graph_.node(source).device);
    };
    for (const Node& node : graph_.nodes()) {
      if (node.device != device) continue;
      for (const Output& input : node.inputs) note(input.node);
      for (NodeId control : node.control_inputs) note(control);
    }
    return read;
  }

  Result<NodeId> AddFirst(int32_t frame, const char* op, const std::string& device, std::vector<Output> inputs,
                          AttrMap attrs) {
    DF_ASSIGN(const NodeId id, Add(frame, op, device, std::move(inputs), std::move(attrs)));
    frames_.first.push_back(id);
    return id;
  }

  Result<NodeId> Add(int32_t frame, const char* op, const std::string& device, std::vector<Output> inputs,
                     AttrMap attrs, std::vector<NodeId> control_inputs = {}) {
    NodeSpec spec;
    spec.name = graph_.UniqueName(StrCat("_loop_", frame, "/", op));
    spec.op = op;
    spec.inputs = std::move(inputs);
    spec.control_inputs = std::move(control_inputs);
    spec.attrs = std::move(attrs);
    spec.device = device;
    return graph_.AddNode(std::move(spec));
  }

  Graph& graph_;
  DistributedFrames& frames_;
  std::vector<std::set<std::string>> devices_;  // by frame
  std::vector<bool> spans_;                     // by frame
};

}  // namespace

Status PrepareLoops(Graph& graph) {
  if (HasControlFlow(graph)) {
    DF_TRY(MergeLoopEntries(graph));
    DF_TRY(EndLoopsByConditions(graph));
  }
  return BoundaryMover(graph).Run();
}

Result<DistributedFrames> DistributeLoops(Graph& graph) {
  DistributedFrames frames;
  DF_ASSIGN(frames.tree, BuildFrameTree(graph));
  DF_TRY(LoopPredicateSender(graph, frames).Run());
  if (frames.drivers.empty()) return frames;
  DF_ASSIGN(frames.tree, BuildFrameTree(graph));
  std::map<std::pair<int32_t, std::string>, NodeId> renumbered;
  for (const auto& [key, merge] : frames.drivers) renumbered[{frames.tree.of_node[merge], key.second}] = merge;
  frames.drivers.swap(renumbered);
  return frames;
}

}  // namespace dfrun
