// Tensors whose elements move on along dimensions, those at the end to the front, on any device: Movement is the
// device's (movement_cpu.h).
#ifndef DFRUN_KERNELS_ARRAY_MOVE_ROLL_H_
#define DFRUN_KERNELS_ARRAY_MOVE_ROLL_H_

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/array/copy/strided_copy.h"
#include "kernels/array/int_values.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

template <class Movement>
class RollKernel : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"shift", "axis"};
  explicit RollKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const std::vector<int64_t> shifts, Shifts(ctx));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, x.shape(), &y));
    if (x.num_elements() == 0) return Status();
    return CopyPieces(ctx, *y, shifts, 0, {0, 0, {}});
  }

 private:
  // The shift of each dimension, in [0, size).
  static Result<std::vector<int64_t>> Shifts(const OpContext& ctx) {
    const Shape& x = ctx.input(0).shape();
    const Shape& given = ctx.input(1).shape();
    if (x.rank() == 0) return InvalidArgument("Roll takes a tensor of rank 1 or more, not a scalar");
    if (given.rank() > 1 || !(given == ctx.input(2).shape()))
      return InvalidArgument("shift and axis must be numbers or vectors of one length, but have shapes ", given,
                             " and ", ctx.input(2).shape());
    const std::vector<int64_t> by = IntValues(ctx.input(1));
    const std::vector<int64_t> axes = IntValues(ctx.input(2));
    std::vector<int64_t> shifts(static_cast<size_t>(x.rank()));
    for (size_t i = 0; i < by.size(); ++i) {
      DF_ASSIGN(const int64_t axis, CanonicalAxis(axes[i], x.rank()));
      const int64_t size = std::max<int64_t>(1, x.dim(static_cast<int>(axis)));
      shifts[axis] = (shifts[axis] + by[i] % size + size) % size;
    }
    return shifts;
  }

  // A part of the input and its position in the result, in the dimensions handled so far.
  struct Piece {
    int64_t from;
    int64_t to;
    std::vector<CopyDim> dims;
  };
  // Each dimension that moves is two pieces; copies every combination of them.
  static Status CopyPieces(OpContext& ctx, Tensor& y, const std::vector<int64_t>& shifts, int d, Piece piece) {
    const Tensor& x = ctx.input(0);
    if (d == x.shape().rank()) {
      return Movement::Copy(ctx, x.dtype(), ElementAt(x.raw(), x.dtype(), piece.from),
                            ElementAt(y.raw(), x.dtype(), piece.to), std::move(piece.dims));
    }
    const int64_t size = x.shape().dim(d);
    const int64_t shift = shifts[d];
    const int64_t stride = RowMajorStrides(x.shape())[d];
    Piece first = {piece.from, piece.to + shift * stride, piece.dims};
    first.dims.push_back({size - shift, stride, stride});
    DF_TRY(CopyPieces(ctx, y, shifts, d + 1, std::move(first)));
    if (shift == 0) return Status();
    piece.from += (size - shift) * stride;
    piece.dims.push_back({shift, stride, stride});
    return CopyPieces(ctx, y, shifts, d + 1, std::move(piece));
  }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_MOVE_ROLL_H_
