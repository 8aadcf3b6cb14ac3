// _Send and _Recv: the two ends of a channel between devices, on any device. A rendezvous takes values in host memory
// and gives them there. Source: TensorFlow white paper (2015) section 3.2.2.
#include <utility>

#include "src/framework/kernel/kernel_registry.h"

namespace dfrun {
namespace {

// 0..2^31-1, as an int32; refuses the kernel otherwise (-1: the graph was not partitioned by this program).
int32_t ReadNumber(KernelSetup& setup, std::string_view attr) {
  const int64_t value = setup.attr<int64_t>(attr);
  if (value < 0 || value > INT32_MAX) {
    setup.Fail(InvalidArgument("attr '", attr, "' is ", value,
                               "; only the partitioner makes _Send and _Recv nodes, which then have it"));
  }
  return static_cast<int32_t>(value);
}

ChannelKey ReadChannel(KernelSetup& setup) {
  return {ReadNumber(setup, "channel"), ReadNumber(setup, "peer"), setup.attr<bool>("static_shape")};
}

// The channel in the iteration that runs the node.
ChannelKey In(ChannelKey key, const OpContext& ctx) {
  key.iteration = ctx.iteration();
  return key;
}

Status NoRendezvous() {
  return FailedPrecondition("this step was started without a rendezvous");
}

class SendKernel final : public AsyncKernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"tensor"};
  explicit SendKernel(KernelSetup& setup) : key_(ReadChannel(setup)) {}

  void ComputeAsync(OpContext& ctx, Callback done) override {
    Rendezvous* rendezvous = ctx.step().rendezvous;
    if (rendezvous == nullptr) return done(NoRendezvous());
    rendezvous->Send(In(key_, ctx), ctx.is_dead() ? dead_ : ctx.input(0), ctx.is_dead(), done);
  }

 private:
  const ChannelKey key_;
  const Tensor dead_{};  // a dead value has no tensor
};

class RecvKernel final : public AsyncKernel {
 public:
  static constexpr std::string_view kHostOutputs[] = {"tensor"};
  explicit RecvKernel(KernelSetup& setup) : key_(ReadChannel(setup)) {
    if (!key_.static_shape) return;
    Result<Shape> shape = setup.output_shape(0).ToShape();
    if (shape.ok()) {
      shape_ = *std::move(shape);
    } else {
      setup.Fail(shape.status().Annotate("attr 'shape' of a channel with a static shape"));
    }
  }

  void ComputeAsync(OpContext& ctx, Callback done) override {
    Rendezvous* rendezvous = ctx.step().rendezvous;
    if (rendezvous == nullptr) return done(NoRendezvous());
    if (key_.static_shape) {
      Tensor* output = nullptr;
      if (Status s = ctx.AllocateOutput(0, shape_, &output); !s.ok()) return done(std::move(s));
      return rendezvous->Recv(key_, ctx.device().host_allocator(), output, nullptr, done);
    }
    Tensor* const output = ctx.output_slot(0);
    output->Reset();  // drops the value of an earlier step
    rendezvous->Recv(In(key_, ctx), ctx.device().host_allocator(), output, ctx.outputs_dead(), done);
  }

 private:
  const ChannelKey key_;
  Shape shape_;
};

DEVICE_KERNEL_ANY(kAnyDevice, "_HostSend", SendKernel);
DEVICE_KERNEL_ANY(kAnyDevice, "_HostRecv", RecvKernel);
DEVICE_KERNEL_ANY(kAnyDevice, "_Send", SendKernel);
DEVICE_KERNEL_ANY(kAnyDevice, "_Recv", RecvKernel);

}  // namespace
}  // namespace dfrun
