// Ops whose output is their input's elements under another shape.
#include <algorithm>

#include "kernels/array/int_values.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

class ReshapeKernel : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit ReshapeKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(std::vector<int64_t> dims, IntVector(ctx.input(1), "the new shape"));
    DF_ASSIGN(const Shape shape, Resolve(x.shape(), dims));
    ctx.SetOutput(0, x.Reshaped(shape));
    return Status();
  }

 private:
  // The product of the sizes but for -1 and, where `skips_zeros`, those of 0.
  static Result<int64_t> Product(std::span<const int64_t> dims, bool skips_zeros) {
    int64_t product = 1;
    for (int64_t size : dims) {
      if (size == -1 || (size == 0 && skips_zeros)) continue;
      if (size < 0 || __builtin_mul_overflow(product, size, &product))
        return InvalidArgument("the sizes of ", PartialShape({dims.begin(), dims.end()}), " make no shape");
    }
    return product;
  }

  // The new shape with its one -1 computed. Where another size is 0, as TensorFlow has it: from the sizes other than 0.
  static Result<Shape> Resolve(const Shape& from, std::vector<int64_t>& dims) {
    const std::string asked = PartialShape(dims).ToString();
    const auto missing = std::find(dims.begin(), dims.end(), -1);
    if (missing != dims.end()) {
      const bool has_zero = std::find(dims.begin(), dims.end(), 0) != dims.end();
      DF_ASSIGN(const int64_t known, Product(dims, true));
      DF_ASSIGN(const int64_t elements, Product(from.dims(), has_zero));
      *missing = elements / known;
    }
    DF_ASSIGN(Shape to, Shape::Create(dims));
    if (to.num_elements() != from.num_elements()) {
      return InvalidArgument("cannot reshape ", from, " (", from.num_elements(), " elements) to ", asked);
    }
    return to;
  }
};

class ExpandDimsKernel : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit ExpandDimsKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const int64_t dim, OnlyInt(ctx.input(1), "the axis"));
    if (x.shape().rank() == Shape::kMaxRank) return InvalidArgument("ExpandDims of a tensor of the highest rank");
    DF_ASSIGN(const int64_t axis, CanonicalAxis(dim, x.shape().rank() + 1));
    std::vector<int64_t> dims(x.shape().dims().begin(), x.shape().dims().end());
    dims.insert(dims.begin() + axis, 1);
    ctx.SetOutput(0, x.Reshaped(Shape(std::span<const int64_t>(dims))));
    return Status();
  }
};

class SqueezeKernel : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit SqueezeKernel(KernelSetup& setup) : axes_(setup.attr<std::vector<int64_t>>("squeeze_dims")) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    const Shape& shape = x.shape();
    std::vector<bool> dropped(static_cast<size_t>(shape.rank()));
    for (int64_t a : axes_) {
      DF_ASSIGN(const int64_t axis, CanonicalAxis(a, shape.rank()));
      if (shape.dim(static_cast<int>(axis)) != 1)
        return InvalidArgument("cannot squeeze dimension ", axis, " of ", shape, ": its size is not 1");
      dropped[axis] = true;
    }
    std::vector<int64_t> dims;
    for (int d = 0; d < shape.rank(); ++d) {
      if (axes_.empty() ? shape.dim(d) != 1 : !dropped[d]) dims.push_back(shape.dim(d));
    }
    ctx.SetOutput(0, x.Reshaped(Shape(std::span<const int64_t>(dims))));
    return Status();
  }

 private:
  const std::vector<int64_t> axes_;
};

CPU_KERNEL_ANY("Reshape", ReshapeKernel);
CPU_KERNEL_ANY("ExpandDims", ExpandDimsKernel);
CPU_KERNEL_ANY("Squeeze", SqueezeKernel);

}  // namespace
}  // namespace dfrun
