// Tensors cut along a dimension, on any device: Movement is the device's (movement_cpu.h).
#ifndef DFRUN_KERNELS_ARRAY_MOVE_SPLIT_H_
#define DFRUN_KERNELS_ARRAY_MOVE_SPLIT_H_

#include <string_view>
#include <vector>

#include "kernels/array/copy/axis_copy.h"
#include "kernels/array/int_values.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

// Cuts `x` along `axis` into outputs of the given sizes.
template <class Movement>
Status Cut(OpContext& ctx, const Tensor& x, int64_t axis, const std::vector<int64_t>& sizes) {
  AxisParts parts(x.dtype(), x.shape(), axis);
  for (size_t i = 0; i < sizes.size(); ++i) {
    Shape shape = x.shape();
    shape.set_dim(static_cast<int>(axis), sizes[i]);
    Tensor* part = nullptr;
    DF_TRY(ctx.AllocateOutput(static_cast<int>(i), shape, &part));
    parts.Add(part->raw(), sizes[i]);
  }
  return Movement::Cut(ctx, parts, x);
}

template <class Movement>
class SplitKernel : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"split_dim"};
  explicit SplitKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(1);
    DF_ASSIGN(const int64_t dim, IntScalar(ctx.input(0), "the axis"));
    DF_ASSIGN(const int64_t axis, CanonicalAxis(dim, x.shape().rank()));
    const int64_t size = x.shape().dim(static_cast<int>(axis));
    const int64_t parts = ctx.num_outputs();
    if (size % parts != 0)
      return InvalidArgument("dimension ", axis, " of ", x.shape(), " cannot be split into ", parts, " equal parts");
    return Cut<Movement>(ctx, x, axis, std::vector<int64_t>(static_cast<size_t>(parts), size / parts));
  }
};

template <class Movement>
class SplitVKernel : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"size_splits", "split_dim"};
  explicit SplitVKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(std::vector<int64_t> sizes, IntVector(ctx.input(1), "the sizes"));
    DF_ASSIGN(const int64_t dim, OnlyInt(ctx.input(2), "the axis"));
    DF_ASSIGN(const int64_t axis, CanonicalAxis(dim, x.shape().rank()));
    DF_TRY(Resolve(sizes, x.shape().dim(static_cast<int>(axis)), ctx.num_outputs()));
    return Cut<Movement>(ctx, x, axis, sizes);
  }

 private:
  static Status Resolve(std::vector<int64_t>& sizes, int64_t whole, int outputs) {
    const std::string asked = PartialShape(sizes).ToString();
    if (sizes.size() != static_cast<size_t>(outputs))
      return InvalidArgument("SplitV into ", outputs, " outputs got the sizes ", asked);
    int64_t sum = 0;
    int missing = -1;
    for (int i = 0; i < outputs; ++i) {
      if (sizes[i] == -1 && missing < 0) {
        missing = i;
      } else if (sizes[i] < 0 || sizes[i] > whole - sum) {
        return InvalidArgument("the sizes ", asked, " do not fit a dimension of ", whole);
      } else {
        sum += sizes[i];
      }
    }
    if (missing >= 0) {
      sizes[missing] = whole - sum;
    } else if (sum != whole) {
      return InvalidArgument("the sizes ", asked, " do not fit a dimension of ", whole);
    }
    return Status();
  }
};

template <class Movement>
class UnpackKernel : public Kernel {
 public:
  explicit UnpackKernel(KernelSetup& setup) : axis_(setup.attr<int64_t>("axis")) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const int64_t axis, CanonicalAxis(axis_, x.shape().rank()));
    const int64_t size = x.shape().dim(static_cast<int>(axis));
    if (size != ctx.num_outputs())
      return InvalidArgument("Unpack into ", ctx.num_outputs(), " outputs, but dimension ", axis, " of ", x.shape(),
                             " is ", size);
    std::vector<int64_t> dims(x.shape().dims().begin(), x.shape().dims().end());
    dims.erase(dims.begin() + axis);
    const Shape shape{std::span<const int64_t>(dims)};
    AxisParts parts(x.dtype(), x.shape(), axis);
    for (int i = 0; i < ctx.num_outputs(); ++i) {
      Tensor* part = nullptr;
      DF_TRY(ctx.AllocateOutput(i, shape, &part));
      parts.Add(part->raw(), 1);
    }
    return Movement::Cut(ctx, parts, x);
  }

 private:
  const int64_t axis_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_MOVE_SPLIT_H_
