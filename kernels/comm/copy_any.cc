// _CopyToHost and _CopyToDevice, on any device.
#include "src/framework/device/graph_capture.h"
#include "src/framework/kernel/kernel_registry.h"

namespace dfrun {
namespace {

// Asynchronous: the device says when the bytes are there.
class CopyKernel : public AsyncKernel {
 public:
  explicit CopyKernel(KernelSetup&) {}
  void ComputeAsync(OpContext& ctx, Callback done) override {
    Tensor* output = nullptr;
    if (Status s = Allocate(ctx, &output); !s.ok()) return done(std::move(s));
    ctx.device().Copy(ctx.input(0), *output, done);
  }

 protected:
  virtual Status Allocate(OpContext& ctx, Tensor** output) {
    return ctx.AllocateOutput(0, ctx.input(0).shape(), output);
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
  explicit CopyToDevice(KernelSetup& setup) : CopyKernel(setup), recording_(CapturingDevice::Of(setup.device())) {}

 protected:
  // Allocates the output. A large value gets memory that a copy may fill while the device works.
  Status Allocate(OpContext& ctx, Tensor** output) override {
    const Tensor& input = ctx.input(0);
    *output = ctx.output_slot(0);
    const bool is_large = static_cast<int64_t>(input.num_bytes()) > kMaxBytesInOrder && !(*output)->borrowed();
    if (recording_ == nullptr || !is_large) return CopyKernel::Allocate(ctx, output);
    DF_ASSIGN(**output, Tensor::Allocate(recording_->uploads(), input.dtype(), input.shape()));
    return Status();
  }

 private:
  CapturingDevice* const recording_;  // null: all memory is alike
};

DEVICE_KERNEL_ANY(kAnyDevice, "_CopyToHost", CopyToHost);
DEVICE_KERNEL_ANY(kAnyDevice, "_CopyToDevice", CopyToDevice);

}  // namespace
}  // namespace dfrun
