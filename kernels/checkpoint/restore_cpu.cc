#include "kernels/checkpoint/saved_tensors.h"
#include "kernels/checkpoint/string_inputs.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

// Restore and RestoreSlice. All shards are open to it, so that the preferred one makes no difference.
class RestoreKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit RestoreKernel(KernelSetup&) {}

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const std::string pattern, StringScalar(ctx, 0));
    DF_ASSIGN(const std::string name, StringScalar(ctx, 1));
    std::string slice;
    if (ctx.num_inputs() > 2) {
      DF_ASSIGN(slice, StringScalar(ctx, 2));
    }
    DF_ASSIGN(const SavedTensors saved, SavedTensors::Open(pattern, *FileAccess::Of(ctx.device())));
    DF_ASSIGN(Tensor value, saved.Read(name, slice, ctx.node().outputs[0].dtype, ctx.pool(), ctx.allocator()));
    ctx.SetOutput(0, std::move(value));
    return Status();
  }
  bool IsExpensive() const override { return true; }
};

class RestoreV2Kernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit RestoreV2Kernel(KernelSetup&) {}

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const std::string prefix, StringScalar(ctx, 0));
    DF_ASSIGN(const std::vector<std::string> names, StringVector(ctx, 1, ctx.num_outputs()));
    DF_ASSIGN(const std::vector<std::string> slices, StringVector(ctx, 2, ctx.num_outputs()));
    DF_ASSIGN(const SavedTensors saved, SavedTensors::Open(prefix, *FileAccess::Of(ctx.device())));
    for (int i = 0; i < ctx.num_outputs(); ++i) {
      const auto k = static_cast<size_t>(i);
      DF_ASSIGN(Tensor value,
                saved.Read(names[k], slices[k], ctx.node().outputs[k].dtype, ctx.pool(), ctx.allocator()));
      ctx.SetOutput(i, std::move(value));
    }
    return Status();
  }
  bool IsExpensive() const override { return true; }
};

CPU_KERNEL_ANY("Restore", RestoreKernel);
CPU_KERNEL_ANY("RestoreSlice", RestoreKernel);
CPU_KERNEL_ANY("RestoreV2", RestoreV2Kernel);

}  // namespace
}  // namespace dfrun
