#include "kernels/array/int_values.h"
#include "kernels/array/strided_copy.h"
#include "src/framework/kernel.h"

namespace dfrun {
namespace {

class TransposeKernel : public Kernel {
 public:
  explicit TransposeKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    const int rank = x.shape().rank();
    DF_ASSIGN(const std::vector<int64_t> perm, IntVector(ctx.input(1), "the permutation"));
    if (static_cast<int>(perm.size()) != rank)
      return InvalidArgument("the permutation has ", perm.size(), " entries, but x has shape ", x.shape());
    const std::vector<int64_t> from_strides = RowMajorStrides(x.shape());
    std::vector<int64_t> sizes(perm.size());
    std::vector<CopyDim> dims(perm.size());
    std::vector<bool> seen(perm.size());
    for (int d = 0; d < rank; ++d) {
      DF_ASSIGN(const int64_t from, CanonicalAxis(perm[d], rank));
      if (seen[from]) return InvalidArgument("the permutation names dimension ", from, " twice");
      seen[from] = true;
      sizes[d] = x.shape().dim(static_cast<int>(from));
      dims[d] = {sizes[d], from_strides[from], 0};
    }
    const Shape shape{std::span<const int64_t>(sizes)};
    const std::vector<int64_t> to_strides = RowMajorStrides(shape);
    for (int d = 0; d < rank; ++d) dims[d].to_stride = to_strides[d];
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    StridedCopy(ctx.pool(), x.dtype(), x.raw(), y->raw(), std::move(dims));
    return Status();
  }
};

class InvertPermutationKernel : public Kernel {
 public:
  explicit InvertPermutationKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const std::vector<int64_t> x, IntVector(ctx.input(0), "the permutation"));
    const auto n = static_cast<int64_t>(x.size());
    std::vector<int64_t> inverse(x.size(), -1);
    for (int64_t i = 0; i < n; ++i) {
      if (x[i] < 0 || x[i] >= n) return InvalidArgument(x[i], " is not between 0 and ", n);
      if (inverse[x[i]] != -1) return InvalidArgument(x[i], " is duplicated in the input");
      inverse[x[i]] = i;
    }
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, ctx.input(0).shape(), &y));
    return StoreInts(inverse, *y);
  }
};

CPU_KERNEL_ANY("Transpose", TransposeKernel);
CPU_KERNEL_ANY("InvertPermutation", InvertPermutationKernel);

}  // namespace
}  // namespace dfrun
