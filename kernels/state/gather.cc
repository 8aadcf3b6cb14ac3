#include "kernels/state/gather.h"

namespace dfrun {

Status VariableGatherKernel::Compute(OpContext& ctx) {
  DF_ASSIGN(Variable* const variable, VariableInput(ctx, 0));
  MutexLock lock(variable->mu());
  if (!variable->initialized()) return NoValue(*variable);
  const Tensor& value = variable->value();
  if (value.dtype() != ctx.node().outputs[0].dtype) {
    return InvalidArgument("cannot gather ", ctx.node().outputs[0].dtype, " from the variable '", variable->name(),
                           "' of ", value.dtype());
  }
  return GatherFrom(ctx, value);
}

namespace {

Status CheckBatches(const Shape& indices, const Shape& variable, int64_t batch_dims) {
  bool fits = batch_dims >= 0 && batch_dims <= indices.rank() && batch_dims < variable.rank();
  for (int d = 0; fits && d < batch_dims; ++d) fits = indices[d] == variable[d];
  if (fits) return Status();
  return InvalidArgument("cannot gather from a variable of shape ", variable, " by indices of shape ", indices,
                         " with batch_dims ", batch_dims);
}

}  // namespace

Status ResourceGatherBase::GatherFrom(OpContext& ctx, const Tensor& value) const {
  const Shape& indices = ctx.input(1).shape();
  DF_TRY(CheckBatches(indices, value.shape(), batch_dims_));
  Shape shape;
  DF_ASSIGN(const GatherLoops loops, GatherLoops::Of(value.shape(), indices, batch_dims_, batch_dims_, shape));
  Tensor* output = nullptr;
  DF_TRY(ctx.AllocateOutput(0, shape, &output));
  return Gather(ctx, value, loops, *output);
}

Status ResourceGatherNdBase::GatherFrom(OpContext& ctx, const Tensor& value) const {
  if (value.shape().rank() == 0) return InvalidArgument("the variable is a scalar: it has no slices");
  DF_ASSIGN(const CoordinatePlan plan, CoordinatePlan::Of(ctx.input(1).shape(), value.shape()));
  DF_ASSIGN(const Shape shape, Shape::Create(plan.SliceDims(value.shape())));
  Tensor* output = nullptr;
  DF_TRY(ctx.AllocateOutput(0, shape, &output));
  return Gather(ctx, value, plan, *output);
}

}  // namespace dfrun
