// _CopyToHost and _CopyToDevice, on any device.
#include "src/framework/kernel_registry.h"

namespace dfrun {
namespace {

// Asynchronous: the device says when the bytes are there.
class CopyKernel : public AsyncKernel {
 public:
  explicit CopyKernel(KernelSetup&) {}
  void ComputeAsync(OpContext& ctx, Callback done) override {
    Tensor* output = nullptr;
    if (Status s = ctx.AllocateOutput(0, ctx.input(0).shape(), &output); !s.ok()) return done(std::move(s));
    ctx.device().Copy(ctx.input(0), *output, done);
  }
};

class CopyToHost final : public CopyKernel {
 public:
  static constexpr std::string_view kHostOutputs[] = {"output"};
  using CopyKernel::CopyKernel;
};

class CopyToDevice final : public CopyKernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"input"};
  using CopyKernel::CopyKernel;
};

DEVICE_KERNEL_ANY(kAnyDevice, "_CopyToHost", CopyToHost);
DEVICE_KERNEL_ANY(kAnyDevice, "_CopyToDevice", CopyToDevice);

}  // namespace
}  // namespace dfrun
