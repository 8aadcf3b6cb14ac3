#include "tests/unit/testing/node_runner.h"

#include <atomic>
#include <memory>
#include <thread>

#include "src/framework/kernel/executor_access.h"

namespace dfrun::testing {
namespace {

// Returns the variable of a value that is a single handle; null for other values.
const Variable* HandledVariable(const Tensor& value) {
  if (value.dtype() != DType::kResource || value.num_elements() != 1) return nullptr;
  return dynamic_cast<const Variable*>(value.scalar<ResourceHandle>().get());
}

// Adds an input as the output of a node: a constant, a placeholder of unknown shape or a variable.
Result<Output> AddInput(Graph& graph, NodeRunner::Way way, const Input& input, size_t i) {
  const std::string name = "input" + std::to_string(i);
  const Tensor& value = input.value;
  NodeSpec spec;
  spec.name = name;
  if (value.is_reference()) {
    spec.op = "VariableV2";
    spec.attrs = {{"dtype", value.dtype()}, {"shape", value.variable()->declared_shape()}};
  } else if (const Variable* variable = HandledVariable(value); variable != nullptr) {
    spec.op = "VarHandleOp";
    spec.attrs = {{"dtype", variable->dtype()}, {"shape", variable->declared_shape()}};
  } else if (way == NodeRunner::Way::kUnknownShapes) {
    spec.op = "Placeholder";
    spec.attrs = {{"dtype", value.dtype()}, {"shape", PartialShape()}};
  } else {
    spec.op = "Const";
    spec.attrs = {{"dtype", value.dtype()}, {"value", value}};
  }
  DF_ASSIGN(const NodeId id, graph.AddNode(std::move(spec)));
  return Output{id, 0};
}

Result<NodeId> Build(Graph& graph, NodeRunner::Way way, const std::string& op, const AttrMap& attrs,
                     const std::vector<Input>& inputs) {
  NodeSpec spec;
  spec.name = "node";
  spec.op = op;
  spec.attrs = attrs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    DF_ASSIGN(const Output input, AddInput(graph, way, inputs[i], i));
    spec.inputs.push_back(input);
  }
  return graph.AddNode(std::move(spec));
}

}  // namespace

void SpreadPool::RunBlocks(int64_t blocks, FunctionRef<void(int64_t)> body) {
  std::atomic<int64_t> left{blocks};
  std::vector<std::thread> workers;
  for (int i = 0; i < threads_; ++i) {
    workers.emplace_back([&] {
      for (int64_t block = --left; block >= 0; block = --left) body(block);
    });
  }
  for (std::thread& worker : workers) worker.join();
}

NodeRunner::NodeRunner(const std::string& device_type) : device_(MakeDeviceOf(device_type)) {}

bool NodeRunner::HasKernel(const std::string& op, const AttrMap& attrs, const std::vector<Input>& inputs) const {
  Graph graph;
  const Result<NodeId> id = Build(graph, Way::kUnknownShapes, op, attrs, inputs);
  return !id.ok() || KernelRegistry::Builtin().Find(op, device_->type(), graph.node(*id).attrs).ok();
}

Result<std::vector<Tensor>> NodeRunner::Run(Way way, const std::string& op, const AttrMap& attrs,
                                            const std::vector<Input>& inputs) {
  Graph graph;
  DF_ASSIGN(const NodeId id, Build(graph, way, op, attrs, inputs));
  return RunNode(graph, id, way, inputs);
}

Result<std::vector<Tensor>> NodeRunner::Run(const std::string& op, const AttrMap& attrs,
                                            const std::vector<Input>& inputs) {
  Result<std::vector<Tensor>> first = Run(Way::kUnknownShapes, op, attrs, inputs);
  for (Way way : {Way::kStaticShapes, Way::kPreallocated, Way::kThreads}) {
    Result<std::vector<Tensor>> other = Run(way, op, attrs, inputs);
    EXPECT_EQ(first.ok(), other.ok()) << first.status().ToString() << " against " << other.status().ToString();
    if (!first.ok() || !other.ok()) continue;
    for (size_t i = 0; i < first->size(); ++i) {
      EXPECT_TRUE((*first)[i].Identical((*other)[i])) << op << " differs with way " << static_cast<int>(way);
    }
  }
  return first;
}

Result<std::vector<Tensor>> NodeRunner::RunNode(const Graph& graph, NodeId id, Way way,
                                                const std::vector<Input>& inputs) {
  const Node& node = graph.node(id);
  std::vector<PartialShape> input_shapes;
  NodeInfo info{node.name, node.op, {}, node.output_types};
  for (const Output& input : node.inputs) {
    input_shapes.push_back(graph.shape(input));
    info.inputs.push_back({graph.dtype(input), graph.is_ref(input)});
  }
  DF_ASSIGN(const KernelDef* def, KernelRegistry::Builtin().Find(node.op->name, device().type(), node.attrs));
  if (device().has_own_memory()) DF_TRY(SetHostArgs(def, node.attrs, info));
  std::vector<Tensor> outputs(node.output_types.size());
  std::vector<bool> preallocated(outputs.size(), false);
  if (way == Way::kPreallocated && !def->shares_outputs) {
    DF_ASSIGN(preallocated, Preallocate(node, info, outputs));
  }
  KernelSetup setup(info, node.attrs, device(), input_shapes, node.output_shapes, preallocated);
  const std::unique_ptr<Kernel> kernel = def->make(setup);
  DF_TRY(setup.status());
  if (!outputs.empty() && kernel->FixedOutput().dtype() != DType::kInvalid) {
    outputs[0] = kernel->FixedOutput();
    return outputs;
  }
  DF_TRY(Call(*kernel, info, way, inputs, outputs));
  for (Tensor& output : outputs) {
    DF_ASSIGN(output, device().ToHostMemory(output));
    if (output.initialized()) {
      DF_ASSIGN(output, output.Owned(SystemAllocator()));
    }
  }
  return outputs;
}

Result<std::vector<bool>> NodeRunner::Preallocate(const Node& node, const NodeInfo& info,
                                                  std::vector<Tensor>& outputs) {
  std::vector<bool> preallocated(outputs.size(), false);
  buffers_.clear();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const PartialShape& shape = node.output_shapes[i];
    const TypedArg& type = info.outputs[i];
    if (type.is_ref || !shape.IsFullyDefined()) continue;
    if (device().has_own_memory() && type.in_host) continue;  // a plan does the same
    DF_ASSIGN(const Shape fixed, shape.ToShape());
    DF_ASSIGN(Tensor buffer, Tensor::Allocate(device().AllocatorFor(type.dtype), type.dtype, fixed));
    outputs[i] = Tensor::Borrowed(type.dtype, fixed, buffer.raw(), buffer.memory());
    buffers_.push_back(std::move(buffer));
    preallocated[i] = true;
  }
  return preallocated;
}

Status NodeRunner::Call(Kernel& kernel, const NodeInfo& info, Way way, const std::vector<Input>& inputs,
                        std::vector<Tensor>& outputs) {
  std::vector<Tensor> slots;
  std::vector<uint32_t> in;
  for (const Input& input : inputs) {
    const size_t i = slots.size();
    in.push_back(static_cast<uint32_t>(i));
    DF_ASSIGN(Tensor value, info.inputs[i].in_host ? Result<Tensor>(input.value) : device().ToOwnMemory(input.value));
    slots.push_back(std::move(value));
  }
  InlineThreadPool inline_pool;
  SpreadPool spread_pool(3);
  ThreadPool& pool = way == Way::kThreads ? static_cast<ThreadPool&>(spread_pool) : inline_pool;
  ResourceContainers step_containers;
  const StepContext step{.step_containers = &step_containers};
  OpContext ctx;
  ExecutorAccess::BindStep(ctx, slots.data(), device(), pool, step);
  ExecutorAccess::BindNode(ctx, info, in.data(), outputs.data(), 0);
  const Status called = kernel.fn()(&kernel, ctx);
  const Status done = device().Synchronize();
  return called.ok() ? done : called;
}

}  // namespace dfrun::testing
