#include "src/graph/order/live_values.h"

#include <algorithm>
#include <bit>

#include "src/base/integers.h"

namespace dfrun {
namespace {

bool IsConstant(const Node& node) {
  return node.op->name == "Const";
}

// The input whose bytes an output shares; -1: it has its own.
int SharedInput(const Graph& graph, Output output) {
  const Node& node = graph.node(output.node);
  const OpTraits& traits = node.op->traits;
  int input = -1;
  if (traits.passthrough != Passthrough::kNone) {
    input = traits.passthrough == Passthrough::kFirstInput ? 0 : output.port;
  } else if (traits.follows_first_input && output.port == 0) {
    input = 0;
  }
  if (input < 0 || input >= node.num_inputs()) return -1;
  const Output value = node.inputs[static_cast<size_t>(input)];
  if (!value.valid() || graph.is_ref(value)) return -1;
  // An op that follows its input without passing it on, as Shape, gives other bytes.
  const bool passes_on = traits.passthrough != Passthrough::kNone;
  return passes_on || BytesOfOutput(graph, value) == BytesOfOutput(graph, output) ? input : -1;
}

// The bytes that the allocator gives for an output: a header, and whole vectors.
int64_t RoomFor(int64_t bytes) {
  constexpr int64_t kAlignment = Allocator::kAlignment;
  if (bytes == 0) return 0;
  return bytes <= kMaxArenaBytes
             ? RoundUp(bytes, std::min(kAlignment, std::max<int64_t>(8, std::bit_ceil(static_cast<uint64_t>(bytes)))))
             : bytes + kAlignment;
}

// One count over the nodes of an order.
class Count {
 public:
  Count(const Graph& graph, std::span<const NodeId> order, const LiveOptions& options)
      : graph_(graph), options_(options), first_(1, 0) {
    for (const Node& node : graph.nodes()) first_.push_back(first_.back() + node.num_outputs());
    readers_.assign(static_cast<size_t>(first_.back()), 0);
    for (const NodeId id : order) {
      for (const Output input : graph.node(id).inputs) AddReader(input);
    }
    for (const Output output : options.kept) AddReader(output);
    for (const int32_t readers : readers_) is_read_once_.push_back(readers == 1);
  }

  void AddReader(Output value) {
    if (value.valid()) ++readers_[IndexOf(OwnerOfBytes(graph_, value))];
  }

  void Run(const Node& node) {
    const Output given = GivenTo(node);
    if (given.valid()) Free(given);  // its buffer becomes output 0's
    for (int32_t port = 0; port < node.num_outputs(); ++port) {
      const Output output{node.id, port};
      if (IsOwner(output)) Take(output);
    }
    if (options_.scratch) bytes_.peak = std::max(bytes_.peak, live_ + options_.scratch(node));
    for (const Output input : node.inputs) {
      if (!input.valid()) continue;
      const Output owner = OwnerOfBytes(graph_, input);
      if (--readers_[IndexOf(owner)] == 0 && !(owner == given)) Free(owner);
    }
    for (int32_t port = 0; port < node.num_outputs(); ++port) {
      const Output output{node.id, port};
      if (IsOwner(output) && readers_[IndexOf(output)] == 0) Free(output);
    }
  }

  LiveBytes bytes() const { return bytes_; }

 private:
  size_t IndexOf(Output output) const {
    return static_cast<size_t>(first_[static_cast<size_t>(output.node)] + output.port);
  }
  bool IsOwner(Output output) const { return OwnerOfBytes(graph_, output) == output; }
  int64_t Bytes(Output output) const {
    return IsConstant(graph_.node(output.node)) ? 0 : BytesOfOutput(graph_, output);
  }
  // The input whose buffer an element-wise kernel computes in: of as many bytes as output 0, and read by nothing else.
  Output GivenTo(const Node& node) const {
    const bool computes_in_place = node.op->traits.elementwise || node.op->name == "BiasAdd" || node.op->name == "AddN";
    if (!computes_in_place || node.num_outputs() == 0 || node.num_inputs() == 0) return {};
    const int64_t bytes = Bytes({node.id, 0});
    const auto fits = [&](Output input) {
      const Output owner = OwnerOfBytes(graph_, input);
      // A fed buffer belongs to who feeds it.
      const bool is_own = graph_.node(owner.node).op->traits.boundary == Boundary::kNone;
      return input.valid() && is_own && is_read_once_[IndexOf(owner)] && Bytes(owner) == bytes &&
             bytes > kMaxArenaBytes;
    };
    // A kernel takes its first operand, or of two the second where that alone has the shape of the result.
    if (fits(node.inputs[0])) return OwnerOfBytes(graph_, node.inputs[0]);
    const bool may_be_second =
        node.num_inputs() == 2 && node.op->traits.elementwise && BytesOfOutput(graph_, node.inputs[0]) != bytes;
    return may_be_second && fits(node.inputs[1]) ? OwnerOfBytes(graph_, node.inputs[1]) : Output();
  }

  int64_t Times(Output output) const { return options_.times ? options_.times(graph_.node(output.node)) : 1; }
  void Take(Output output) {
    const int64_t bytes = Bytes(output);
    const int64_t room = RoomFor(bytes) * Times(output);
    if (bytes <= kMaxArenaBytes) {
      bytes_.small += room;
    } else {
      live_ += room;
      bytes_.peak = std::max(bytes_.peak, live_);
    }
  }
  void Free(Output output) {
    const int64_t bytes = Bytes(output);
    if (bytes > kMaxArenaBytes) live_ -= RoomFor(bytes) * Times(output);
  }

  const Graph& graph_;
  const LiveOptions& options_;
  std::vector<int32_t> first_;    // by node: the index of its first output
  std::vector<int32_t> readers_;  // by output: readers that have not run
  std::vector<bool> is_read_once_;
  int64_t live_ = 0;
  LiveBytes bytes_;
};

}  // namespace

int64_t BytesOfOutput(const Graph& graph, Output output) {
  const PartialShape& shape = graph.shape(output);
  if (graph.is_ref(output) || !shape.IsFullyDefined() || !IsPlain(graph.dtype(output))) return 0;
  return shape.num_elements() * static_cast<int64_t>(DTypeSize(graph.dtype(output)));
}

Output OwnerOfBytes(const Graph& graph, Output output) {
  for (int input = SharedInput(graph, output); input >= 0; input = SharedInput(graph, output)) {
    if (graph.IsBackEdge(graph.node(output.node), input)) break;
    output = graph.node(output.node).inputs[static_cast<size_t>(input)];
  }
  return output;
}

std::vector<NodeId> RunOrder(const Graph& graph, const std::vector<bool>& runs) {
  std::vector<int32_t> waits(static_cast<size_t>(graph.num_nodes()), 0);
  std::vector<NodeId> order;
  for (const Node& node : graph.nodes()) {
    if (!runs[static_cast<size_t>(node.id)]) continue;
    for (int i = 0; i < node.num_inputs(); ++i) {
      const bool waits_for = node.inputs[static_cast<size_t>(i)].valid() && !graph.IsBackEdge(node, i);
      waits[static_cast<size_t>(node.id)] += waits_for ? 1 : 0;
    }
    waits[static_cast<size_t>(node.id)] += static_cast<int32_t>(node.control_inputs.size());
    if (waits[static_cast<size_t>(node.id)] == 0) order.push_back(node.id);
  }
  const Consumers consumers = graph.BuildConsumers();
  for (size_t i = 0; i < order.size(); ++i) {
    for (const Consumers::Edge& edge : consumers.of(order[i])) {
      if (!runs[static_cast<size_t>(edge.node)]) continue;
      if (edge.input >= 0 && graph.IsBackEdge(graph.node(edge.node), edge.input)) continue;
      if (--waits[static_cast<size_t>(edge.node)] == 0) order.push_back(edge.node);
    }
  }
  return order;
}

LiveBytes LiveBytesOf(const Graph& graph, std::span<const NodeId> order, const LiveOptions& options) {
  Count count(graph, order, options);
  for (const NodeId id : order) count.Run(graph.node(id));
  return count.bytes();
}

}  // namespace dfrun
