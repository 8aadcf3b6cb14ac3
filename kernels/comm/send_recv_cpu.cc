// _Send and _Recv: the two ends of a channel between devices.
// Source: TensorFlow white paper (2015) section 3.2.2.
#include <memory>
#include <utility>

#include "src/framework/kernel.h"

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
      return rendezvous->Recv(key_, ctx.allocator(), output, nullptr, done);
    }
    auto* arriving = new Arriving{ctx, done};
    rendezvous->Recv(In(key_, ctx), ctx.allocator(), &arriving->value, &arriving->is_dead, {&Arriving::Done, arriving});
  }

 private:
  // A value whose shape comes with it.
  struct Arriving {
    OpContext& ctx;
    Callback done;
    Tensor value = {};
    bool is_dead = false;

    static void Done(void* arg, Status status) {
      const std::unique_ptr<Arriving> arrived(static_cast<Arriving*>(arg));
      if (status.ok() && arrived->is_dead) arrived->ctx.set_output_dead(0);
      if (status.ok() && !arrived->is_dead) arrived->ctx.SetOutput(0, std::move(arrived->value));
      arrived->done(std::move(status));
    }
  };

  const ChannelKey key_;
  Shape shape_;
};

CPU_KERNEL_ANY("_HostSend", SendKernel);
CPU_KERNEL_ANY("_HostRecv", RecvKernel);
CPU_KERNEL_ANY("_Send", SendKernel);
CPU_KERNEL_ANY("_Recv", RecvKernel);

}  // namespace
}  // namespace dfrun
