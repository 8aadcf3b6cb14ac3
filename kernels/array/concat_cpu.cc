#include <algorithm>
#include <cstring>

#include "kernels/array/axis_copy.h"
#include "kernels/array/int_values.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

// The shape of the joined values; InvalidArgument where they differ beside the axis.
Result<Shape> JoinedShape(const OpContext& ctx, int first, int n, int64_t axis) {
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
  parts.CopyInto(ctx.pool(), *y);
  return Status();
}

class ConcatKernel : public Kernel {
 public:
  explicit ConcatKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) { return Join(ctx, 0, 1, ctx.num_inputs() - 1); }
};

class ConcatV2Kernel : public Kernel {
 public:
  explicit ConcatV2Kernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) { return Join(ctx, ctx.num_inputs() - 1, 0, ctx.num_inputs() - 1); }
};

class ConcatOffsetKernel : public Kernel {
 public:
  explicit ConcatOffsetKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const int64_t dim, IntScalar(ctx.input(0), "the axis"));
    DF_ASSIGN(const std::vector<int64_t> first, IntVector(ctx.input(1), "a shape"));
    DF_ASSIGN(const int64_t axis, CanonicalAxis(dim, static_cast<int>(first.size())));
    int64_t offset = 0;
    for (int i = 1; i < ctx.num_inputs(); ++i) {
      DF_ASSIGN(std::vector<int64_t> shape, IntVector(ctx.input(i), "a shape"));
      bool fits = shape.size() == first.size();
      for (size_t d = 0; fits && d < shape.size(); ++d) fits = static_cast<int64_t>(d) == axis || shape[d] == first[d];
      if (!fits)
        return InvalidArgument("the shapes ", PartialShape(first), " and ", PartialShape(shape),
                               " do not fit together along dimension ", axis);
      const int64_t size = shape[axis];
      std::fill(shape.begin(), shape.end(), 0);
      shape[axis] = offset;
      if (__builtin_add_overflow(offset, size, &offset))
        return InvalidArgument("the joined size of dimension ", axis, " is beyond int64");
      Tensor* y = nullptr;
      DF_TRY(ctx.AllocateOutput(i - 1, ctx.input(i).shape(), &y));
      DF_TRY(StoreInts(shape, *y));
    }
    return Status();
  }
};

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
    parts.CopyInto(ctx.pool(), *y);
    return Status();
  }

 private:
  const int64_t axis_;
};

CPU_KERNEL_ANY("Concat", ConcatKernel);
CPU_KERNEL_ANY("ConcatV2", ConcatV2Kernel);
CPU_KERNEL_ANY("ConcatOffset", ConcatOffsetKernel);
CPU_KERNEL_ANY("Pack", PackKernel);

}  // namespace
}  // namespace dfrun
