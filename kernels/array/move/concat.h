// Tensors put together along a dimension, on any device: Movement is the device's (movement_cpu.h).
#ifndef DFRUN_KERNELS_ARRAY_MOVE_CONCAT_H_
#define DFRUN_KERNELS_ARRAY_MOVE_CONCAT_H_

#include <string_view>
#include <vector>

#include "kernels/array/copy/axis_copy.h"
#include "kernels/array/int_values.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

// The shape of the joined values; InvalidArgument where they differ beside the axis.
inline Result<Shape> JoinedShape(const OpContext& ctx, int first, int n, int64_t axis) {
  Shape joined = ctx.input(first).shape();
  for (int i = first + 1; i < first + n; ++i) {
    const Shape& shape = ctx.input(i).shape();
    bool fits = shape.rank() == joined.rank();
    for (int d = 0; fits && d < joined.rank(); ++d) fits = d == axis || shape.dim(d) == joined.dim(d);
    if (!fits)
      return InvalidArgument("cannot put ", ctx.input(first).shape(), " and ", shape, " together along dimension ",
                             axis);
    joined.set_dim(static_cast<int>(axis), joined.dim(static_cast<int>(axis)) + shape.dim(static_cast<int>(axis)));
  }
  return joined;
}

// Inputs [first, first + n) along the axis that input `axis_input` names.
template <class Movement>
Status Join(OpContext& ctx, int axis_input, int first, int n) {
  DF_ASSIGN(const int64_t dim, IntScalar(ctx.input(axis_input), "the axis"));
  DF_ASSIGN(const int64_t axis, CanonicalAxis(dim, ctx.input(first).shape().rank()));
  DF_ASSIGN(const Shape shape, JoinedShape(ctx, first, n, axis));
  DF_TRY(Shape::Create(shape.dims()).status());
  Tensor* y = nullptr;
  DF_TRY(ctx.AllocateOutput(0, shape, &y));
  AxisParts parts(y->dtype(), shape, axis);
  for (int i = first; i < first + n; ++i) {
    parts.Add(ctx.input(i).raw(), ctx.input(i).shape().dim(static_cast<int>(axis)));
  }
  return Movement::Join(ctx, parts, *y);
}

template <class Movement>
class ConcatKernel : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"concat_dim"};
  explicit ConcatKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) { return Join<Movement>(ctx, 0, 1, ctx.num_inputs() - 1); }
};

template <class Movement>
class ConcatV2Kernel : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"axis"};
  explicit ConcatV2Kernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) { return Join<Movement>(ctx, ctx.num_inputs() - 1, 0, ctx.num_inputs() - 1); }
};

template <class Movement>
class PackKernel : public Kernel {
 public:
  explicit PackKernel(KernelSetup& setup) : axis_(setup.attr<int64_t>("axis")) {}
  Status Compute(OpContext& ctx) {
    const Shape& part = ctx.input(0).shape();
    for (int i = 1; i < ctx.num_inputs(); ++i) {
      if (!(ctx.input(i).shape() == part))
        return InvalidArgument("Pack of different shapes: ", part, " and ", ctx.input(i).shape());
    }
    if (part.rank() == Shape::kMaxRank) return InvalidArgument("Pack of tensors of the highest rank");
    DF_ASSIGN(const int64_t axis, CanonicalAxis(axis_, part.rank() + 1));
    std::vector<int64_t> dims(part.dims().begin(), part.dims().end());
    dims.insert(dims.begin() + axis, ctx.num_inputs());
    DF_ASSIGN(const Shape shape, Shape::Create(dims));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    AxisParts parts(y->dtype(), shape, axis);
    for (int i = 0; i < ctx.num_inputs(); ++i) parts.Add(ctx.input(i).raw(), 1);
    return Movement::Join(ctx, parts, *y);
  }

 private:
  const int64_t axis_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_MOVE_CONCAT_H_
