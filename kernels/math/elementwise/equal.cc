#include "kernels/math/elementwise/equal.h"

namespace dfrun::cpu {

Status EqualityKernel::Compute(OpContext& ctx) {
  if (!is_error_) {
    BroadcastPlan plan;
    Shape shape;
    const Status status = PlanBroadcast({&ctx.input(0).shape(), &ctx.input(1).shape()}, plan, shape);
    if (status.code() == Code::kInvalidArgument) {
      Tensor* z = nullptr;
      DF_TRY(ctx.AllocateOutput(0, Shape(), &z));
      *z->data<bool>() = when_incompatible_;
      return Status();
    }
  }
  return BinaryKernel::Compute(ctx);
}

}  // namespace dfrun::cpu
