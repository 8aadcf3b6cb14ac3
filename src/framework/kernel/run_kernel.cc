#include "src/framework/kernel/run_kernel.h"

#include <numeric>

#include "src/base/denormals.h"
#include "src/framework/kernel/executor_access.h"

namespace dfrun {
namespace {

Status CheckSupported(const NodeInfo& node, const KernelDef& def) {
  if (def.is_async)
    return Unimplemented(node.name, " (", node.op->name, "): an asynchronous kernel runs in a plan only");
  for (const TypedArg& input : node.inputs) {
    if (input.is_ref)
      return Unimplemented(node.name, " (", node.op->name, "): a ref input needs a variable and a plan");
  }
  return Status();
}

std::vector<PartialShape> ShapesOf(std::span<const Tensor> tensors) {
  std::vector<PartialShape> shapes;
  for (const Tensor& tensor : tensors) shapes.emplace_back(tensor.shape());
  return shapes;
}

}  // namespace

Result<std::vector<Tensor>> RunKernelOnce(const NodeInfo& node, const AttrMap& attrs, std::span<const Tensor> inputs,
                                          Device& device, ThreadPool& pool, const KernelRegistry& kernels) {
  DF_CHECK(inputs.size() == node.inputs.size());
  DF_ASSIGN(const KernelDef* def, kernels.Find(node.op->name, device.type(), attrs));
  DF_TRY(CheckSupported(node, *def));
  NodeInfo info = node;
  if (device.has_own_memory()) DF_TRY(SetHostArgs(def, attrs, info));
  KernelSetup setup(info, attrs, device, ShapesOf(inputs), std::vector<PartialShape>(node.outputs.size()),
                    std::vector<bool>(node.outputs.size(), false));
  const std::unique_ptr<Kernel> kernel = def->make(setup);
  DF_TRY(setup.status());

  std::vector<Tensor> slots(inputs.begin(), inputs.end());
  for (size_t i = 0; i < slots.size(); ++i) {
    if (info.inputs[i].in_host) continue;
    DF_ASSIGN(slots[i], device.ToOwnMemory(slots[i]));
  }
  std::vector<uint32_t> in(slots.size());
  std::iota(in.begin(), in.end(), 0);
  std::vector<Tensor> outputs(node.outputs.size());
  if (!outputs.empty()) outputs[0] = kernel->FixedOutput();
  if (!outputs.empty() && outputs[0].initialized()) return outputs;
  ResourceContainers step_containers;
  const StepContext step{.step_containers = &step_containers};
  OpContext ctx;
  ExecutorAccess::BindStep(ctx, slots.data(), device, pool, step);
  ExecutorAccess::BindNode(ctx, info, in.data(), outputs.data(), 0);
  const ScopedFlushDenormals flush;  // denormals are zero in a step, too
  const Status called = kernel->fn()(kernel.get(), ctx);
  DF_TRY(device.Synchronize());  // also after an error: enqueued work reads the tensors here
  DF_TRY(called);
  for (Tensor& output : outputs) {
    DF_ASSIGN(output, device.ToHostMemory(output));
  }
  return outputs;
}

}  // namespace dfrun
