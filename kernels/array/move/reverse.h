// Tensors backwards along dimensions, on any device: Movement is the device's (movement_cpu.h).
#ifndef DFRUN_KERNELS_ARRAY_MOVE_REVERSE_H_
#define DFRUN_KERNELS_ARRAY_MOVE_REVERSE_H_

#include <string_view>
#include <utility>
#include <vector>

#include "kernels/array/copy/strided_copy.h"
#include "kernels/array/int_values.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

// The input, backwards along the dimensions for which `reversed` is true.
template <class Movement>
Status ReverseDims(OpContext& ctx, const std::vector<bool>& reversed) {
  const Tensor& x = ctx.input(0);
  Tensor* y = nullptr;
  DF_TRY(ctx.AllocateOutput(0, x.shape(), &y));
  if (x.num_elements() == 0) return Status();
  const std::vector<int64_t> strides = RowMajorStrides(x.shape());
  std::vector<CopyDim> dims;
  int64_t first = 0;
  for (int d = 0; d < x.shape().rank(); ++d) {
    const int64_t size = x.shape().dim(d);
    dims.push_back({size, reversed[d] ? -strides[d] : strides[d], strides[d]});
    if (reversed[d]) first += (size - 1) * strides[d];
  }
  return Movement::Copy(ctx, x.dtype(), ElementAt(x.raw(), x.dtype(), first), y->raw(), std::move(dims));
}

template <class Movement>
class ReverseKernel : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"dims"};
  explicit ReverseKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Shape& dims = ctx.input(1).shape();
    if (!(dims == Shape({ctx.input(0).shape().rank()})))
      return InvalidArgument("dims has shape ", dims, ", but must have an entry for each dimension of ",
                             ctx.input(0).shape());
    if (ctx.input(0).shape().rank() > 0 && ctx.input(0).shape().dim(0) == 0)
      return InvalidArgument("Reverse of ", ctx.input(0).shape(), ", whose first size is 0; ReverseV2 takes that");
    const std::span<const bool> reversed = ctx.input(1).values<bool>();
    return ReverseDims<Movement>(ctx, std::vector<bool>(reversed.begin(), reversed.end()));
  }
};

template <class Movement>
class ReverseV2Kernel : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"axis"};
  explicit ReverseV2Kernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const std::vector<int64_t> axes, IntVector(ctx.input(1), "the axes"));
    const int rank = ctx.input(0).shape().rank();
    if (rank == 0) return ReverseDims<Movement>(ctx, {});  // whatever the axes are
    DF_ASSIGN(const std::vector<bool> reversed, NamedAxes(axes, rank));
    return ReverseDims<Movement>(ctx, reversed);
  }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_MOVE_REVERSE_H_
