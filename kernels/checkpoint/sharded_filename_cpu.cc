#include <cstdio>

#include "kernels/checkpoint/string_inputs.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

// "00012", or more digits where it takes more.
std::string FiveDigits(int32_t number) {
  char text[16];
  std::snprintf(text, sizeof text, "%05d", number);
  return text;
}

// ShardedFilename (base name, shard, shards) and ShardedFilespec (base name, shards).
class ShardedFilenameKernel final : public Kernel {
 public:
  explicit ShardedFilenameKernel(KernelSetup&) {}

  Status Compute(OpContext& ctx) {
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      if (ctx.input(i).shape().rank() != 0) {
        return InvalidArgument(ctx.node().op->name, ": input ", i, " must be a scalar, but has shape ",
                               ctx.input(i).shape());
      }
    }
    const int last = ctx.num_inputs() - 1;
    const std::string shard = last == 2 ? FiveDigits(ctx.input(1).scalar<int32_t>()) : "?????";
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &output));
    *output->data<std::string>() =
        ctx.input(0).scalar<std::string>() + "-" + shard + "-of-" + FiveDigits(ctx.input(last).scalar<int32_t>());
    return Status();
  }
};

CPU_KERNEL_ANY("ShardedFilename", ShardedFilenameKernel);
CPU_KERNEL_ANY("ShardedFilespec", ShardedFilenameKernel);

}  // namespace
}  // namespace dfrun
