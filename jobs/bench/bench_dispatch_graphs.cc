#include "jobs/bench/bench_dispatch_graphs.h"

#include <atomic>

namespace dfrun::jobs {
namespace {

// Dependent multiply-adds of about a microsecond.
constexpr int kSpinRounds = 700;

class SpinKernel final : public Kernel {
 public:
  explicit SpinKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    Tensor* out = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &out));
    *out->data<float>() = Spin(ctx.input(0).scalar<float>() + ctx.input(1).scalar<float>());
    return Status();
  }
};

class FixedKernel final : public Kernel {
 public:
  explicit FixedKernel(KernelSetup&) {}
  Tensor FixedOutput() const override { return Tensor::Scalar(1.0F); }
  Status Compute(OpContext&) { return Internal("a fixed output was computed"); }
};

Topology Unconnected(std::string name, int32_t nodes, int inputs_per_node) {
  Topology t{.name = std::move(name), .num_nodes = nodes, .inputs = {}, .inputs_per_node = inputs_per_node};
  t.inputs.assign(static_cast<size_t>(nodes) * inputs_per_node, -1);
  return t;
}

NodeSpec Spec(std::string name, std::string op) {
  NodeSpec spec;
  spec.name = std::move(name);
  spec.op = std::move(op);
  return spec;
}

// Adds a node for each of the topology's, with its inputs; `one` replaces missing inputs.
Result<Graph> DataGraph(const Topology& topology, Graph graph, NodeId one, const std::vector<std::string>& ops) {
  std::vector<NodeId> ids(topology.num_nodes);
  for (int32_t i = 0; i < topology.num_nodes; ++i) {
    NodeSpec spec = Spec(StrCat("n", i), ops[i % ops.size()]);
    const OpDef* op = graph.ops().Find(spec.op);
    if (op == nullptr) return graph.ops().UnknownOp(spec.op);
    for (size_t k = 0; k < op->inputs.size(); ++k) {
      const bool given = static_cast<int>(k) < topology.inputs_per_node;
      const int32_t input = given ? topology.inputs[i * topology.inputs_per_node + k] : -1;
      spec.inputs.push_back({input < 0 ? one : ids[input], 0});
    }
    DF_ASSIGN(ids[i], graph.AddNode(std::move(spec)));
  }
  return graph;
}

}  // namespace

Topology Chain(int32_t nodes) {
  Topology t = Unconnected("chain", nodes, 1);
  for (int32_t i = 1; i < nodes; ++i) t.inputs[i] = i - 1;
  return t;
}

Topology FanOut(int32_t nodes) {
  Topology t = Unconnected("fanout", nodes, 1);
  for (int32_t i = 1; i < nodes; ++i) t.inputs[i] = 0;
  return t;
}

Topology Layers(int32_t nodes, int32_t width) {
  Topology t = Unconnected("layers", nodes, 2);
  for (int32_t i = width; i < nodes; ++i) {
    const int32_t before = i / width * width - width;
    t.inputs[i * 2] = before + i % width;
    t.inputs[i * 2 + 1] = before + (i + 1) % width;
  }
  return t;
}

Result<Graph> NoOpGraph(const Topology& topology) {
  Graph graph;
  for (int32_t i = 0; i < topology.num_nodes; ++i) {
    NodeSpec spec = Spec(StrCat("n", i), "NoOp");
    for (int k = 0; k < topology.inputs_per_node; ++k) {
      const int32_t input = topology.inputs[i * topology.inputs_per_node + k];
      if (input >= 0) spec.control_inputs.push_back(input);
    }
    DF_TRY(graph.AddNode(std::move(spec)).status());
  }
  return graph;
}

Result<Graph> ScalarGraph(const Topology& topology, const std::vector<std::string>& ops) {
  Graph graph;
  NodeSpec one = Spec("one", "Const");
  one.attrs = {{"dtype", DType::kFloat}, {"value", Tensor::Scalar(1.0F)}};
  DF_ASSIGN(const NodeId id, graph.AddNode(std::move(one)));
  return DataGraph(topology, std::move(graph), id, ops);
}

Result<Graph> SpinGraph(const Topology& topology) {
  Graph graph(SpinOps());
  DF_ASSIGN(const NodeId id, graph.AddNode(Spec("one", "Fixed")));
  return DataGraph(topology, std::move(graph), id, {"Spin"});
}

const OpRegistry& SpinOps() {
  static const OpRegistry& registry = *[] {
    auto* ops = new OpRegistry();
    const Status fixed = ops->Register(OpBuilder("Fixed").Output("y: float").Shape(ScalarOutputs()).Doc("One."));
    const Status spin = ops->Register(OpBuilder("Spin")
                                          .Input("a: float")
                                          .Input("b: float")
                                          .Output("y: float")
                                          .Shape(ScalarOutputs())
                                          .Doc("A microsecond of arithmetic."));
    DF_CHECK(fixed.ok() && spin.ok());
    return ops;
  }();
  return registry;
}

const KernelRegistry& SpinKernels() {
  static const KernelRegistry& registry = *[] {
    auto* kernels = new KernelRegistry();
    const Status fixed =
        kernels->Register(internal::DefineKernel<FixedKernel>("Fixed", HostDeviceType(), "", DType::kInvalid));
    const Status spin =
        kernels->Register(internal::DefineKernel<SpinKernel>("Spin", HostDeviceType(), "", DType::kInvalid));
    DF_CHECK(fixed.ok() && spin.ok());
    return kernels;
  }();
  return registry;
}

float Spin(float value) {
  for (int i = 0; i < kSpinRounds; ++i) value = value * 0.5F + 1.0F;
  return value;
}

BareLoop::BareLoop(const Topology& t)
    : edge_begin_(t.num_nodes + 1), initial_(t.num_nodes), queue_(t.num_nodes), inputs_(t.num_nodes * 2, -1) {
  for (size_t i = 0; i < t.inputs.size(); ++i) {
    if (t.inputs[i] < 0) continue;
    ++edge_begin_[t.inputs[i] + 1];
    ++initial_[i / t.inputs_per_node];
  }
  for (int32_t i = 0; i < t.num_nodes; ++i) edge_begin_[i + 1] += edge_begin_[i];
  edges_.resize(edge_begin_[t.num_nodes]);
  std::vector<int32_t> next(edge_begin_.begin(), edge_begin_.end() - 1);
  for (size_t i = 0; i < t.inputs.size(); ++i) {
    const auto reader = static_cast<int32_t>(i / t.inputs_per_node);
    if (t.inputs[i] >= 0) edges_[next[t.inputs[i]]++] = reader;
    inputs_[reader * 2 + i % t.inputs_per_node] = t.inputs[i];
  }
  for (int32_t& input : inputs_) input = input < 0 ? t.num_nodes : input;
  values_.assign(t.num_nodes + 1, 1.0F);
  pending_ = initial_;
}

int64_t BareLoop::Run(bool adds) {
  return adds ? RunAs<true>() : RunAs<false>();
}

template <bool kAdds>
int64_t BareLoop::RunAs() {
  pending_ = initial_;
  size_t head = 0;
  size_t tail = 0;
  for (size_t i = 0; i < initial_.size(); ++i) {
    if (initial_[i] == 0) queue_[tail++] = static_cast<int32_t>(i);
  }
  while (head < tail) {
    const int32_t node = queue_[head++];
    if (kAdds) values_[node] = values_[inputs_[node * 2]] + values_[inputs_[node * 2 + 1]];
    for (int32_t e = edge_begin_[node]; e < edge_begin_[node + 1]; ++e) {
      std::atomic_ref<int32_t> pending(pending_[edges_[e]]);
      if (pending.fetch_sub(1, std::memory_order_acq_rel) == 1) queue_[tail++] = edges_[e];
    }
  }
  return static_cast<int64_t>(head);
}

}  // namespace dfrun::jobs
