// NumberedPool: the base of max pooling kernels that number the largest elements, on any device.
#ifndef DFRUN_KERNELS_NN_POOL_NUMBERED_POOL_H_
#define DFRUN_KERNELS_NN_POOL_NUMBERED_POOL_H_

#include <limits>

#include "kernels/nn/pool/pool_kernel.h"

namespace dfrun {

// Elements are numbered by int32 or int64, within their image or, with attr include_batch_in_index, over all images.
class NumberedPool : public PoolKernel {
 public:
  explicit NumberedPool(KernelSetup& setup)
      : PoolKernel(setup, kWindowAttrs), with_batch_(setup.attr<bool>("include_batch_in_index")) {}

 protected:
  // The numbers that one image takes: each image's numbers begin after those of the images before it.
  int64_t NumbersOfImage(const PoolShape& s) const { return with_batch_ ? s.input_image() : 0; }

  // Allocates outputs 0 and 1 of a pooling and returns its shape.
  Result<PoolShape> MakeOutputs(OpContext& ctx, Tensor*& y, Tensor*& argmax) const {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(PoolShape s, ShapeOf(ctx, x.shape()));
    DF_TRY(ctx.AllocateOutput(0, s.output, &y));
    DF_TRY(ctx.AllocateOutput(1, s.output, &argmax));
    const int64_t numbers = s.input_image() * (with_batch_ ? s.images : 1);
    if (argmax->dtype() == DType::kInt32 && numbers > std::numeric_limits<int32_t>::max()) {
      return InvalidArgument("MaxPoolWithArgmax: int32 cannot number the elements of ", x.shape());
    }
    return s;
  }

  // The shape for the gradient's inputs x, dy and argmax.
  Result<PoolShape> ShapeOfGradient(const OpContext& ctx) const {
    const Shape& x = ctx.input(0).shape();
    const Shape& dy = ctx.input(1).shape();
    const Shape& argmax = ctx.input(2).shape();
    DF_ASSIGN(PoolShape s, ShapeOf(ctx, x));
    if (dy == s.output && argmax == s.output) return s;
    return InvalidArgument("MaxPoolGradWithArgmax: pooling ", x, " gives ", s.output, ", but grad is ", dy,
                           " and argmax ", argmax);
  }

 private:
  const bool with_batch_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_POOL_NUMBERED_POOL_H_
