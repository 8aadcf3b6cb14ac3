#include "kernels/math/elementwise/binary_cuda.h"

namespace dfrun::cuda {

BinaryKernel::BinaryKernel(KernelSetup& setup, const BinaryLaunch& launch, bool broadcasts)
    : launch_(launch),
      broadcasts_(broadcasts),
      error_flag_(launch.refusal == nullptr ? nullptr : new DeviceErrorFlag(setup, launch.refusal)) {}

Status BinaryKernel::Compute(OpContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Tensor& y = ctx.input(1);
  if (!broadcasts_ && !(x.shape() == y.shape())) {
    return InvalidArgument(ctx.node().op->name, ": the gradient has the shape ", x.shape(), ", the other operand ",
                           y.shape());
  }
  BroadcastPlan plan;
  Shape shape;
  DF_TRY(PlanBroadcast({&x.shape(), &y.shape()}, plan, shape));
  Tensor* z = nullptr;
  DF_TRY(ctx.ForwardOrAllocate(x.shape() == shape ? 0 : 1, 0, shape, &z));
  return launch_.run(ctx, plan, x.raw(), y.raw(), z->raw(), error_flag_ == nullptr ? nullptr : error_flag_->word());
}

}  // namespace dfrun::cuda
