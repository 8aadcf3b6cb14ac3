#include "jobs/bench/bench_kernels_node.h"

#include <random>

#include "src/executor/build_plan.h"
#include "src/graph/graph.h"

namespace dfrun::jobs {
namespace {

Result<Output> AddNode(Graph& graph, const std::string& name, const std::string& op, std::vector<Output> inputs,
                       const AttrMap& attrs, std::vector<NodeId> after = {}) {
  NodeSpec spec;
  spec.control_inputs = std::move(after);
  spec.name = name;
  spec.op = op;
  spec.inputs = std::move(inputs);
  spec.attrs = attrs;
  DF_ASSIGN(const NodeId id, graph.AddNode(std::move(spec)));
  return Output{id, 0};
}

}  // namespace

Result<std::unique_ptr<OpStep>> OpStep::Create(Device& device, const std::string& op, const AttrMap& attrs,
                                               const std::vector<Tensor>& inputs, int nodes) {
  Graph graph;
  std::vector<Output> constants;
  for (const Tensor& input : inputs) {
    DF_ASSIGN(const Output constant,
              AddNode(graph, StrCat("x", constants.size()), "Const", {}, {{"dtype", input.dtype()}, {"value", input}}));
    constants.push_back(constant);
  }
  std::vector<NodeId> before;
  for (int i = 0; i < nodes; ++i) {
    DF_ASSIGN(const Output made, AddNode(graph, StrCat("op", i), op, constants, attrs, before));
    before = {made.node};
  }
  auto step = std::make_unique<OpStep>();
  DF_ASSIGN(step->plan_, BuildPlan(graph, device, KernelRegistry::Builtin()));
  return step;
}

void OpStep::Run(WorkerPool& pool) {
  Status status = RunPlan(*plan_, pool, {.feeds = {}, .fetches = {}, .step = {}});
  if (status_.ok()) status_ = std::move(status);
}

Result<Tensor> RandomTensor(Device& device, DType dtype, const Shape& shape) {
  DF_ASSIGN(Tensor tensor, Tensor::Allocate(device.host_allocator(), dtype, shape));
  std::minstd_rand random(1);
  VisitDType<float, bfloat16>(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int64_t kPeriod = 4093;  // a prime, so that no two rows of a matrix of usual size are alike
    constexpr float kScale = 2.0F / static_cast<float>(std::minstd_rand::max());
    T* values = tensor.data<T>();
    for (int64_t i = 0; i < tensor.num_elements(); ++i) {
      values[i] = i >= kPeriod ? values[i - kPeriod] : static_cast<T>(static_cast<float>(random()) * kScale - 1);
    }
  });
  return tensor;
}

}  // namespace dfrun::jobs
