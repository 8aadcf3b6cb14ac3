#include <algorithm>
#include <complex>

#include "kernels/array/int_values.h"
#include "kernels/array/strided_copy.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

// Reads the permutation of a tensor of `rank`.
Result<std::vector<int>> ReadPermutation(const Tensor& value, int rank) {
  DF_ASSIGN(const std::vector<int64_t> perm, IntVector(value, "the permutation"));
  if (static_cast<int>(perm.size()) != rank)
    return InvalidArgument("the permutation has ", perm.size(), " entries, but x has rank ", rank);
  DF_TRY(NamedAxes(perm, rank).status());
  std::vector<int> axes(perm.size());
  std::transform(perm.begin(), perm.end(), axes.begin(),
                 [rank](int64_t p) { return static_cast<int>(p < 0 ? p + rank : p); });
  return axes;
}

Status Permute(OpContext& ctx, Tensor** y) {
  const Tensor& x = ctx.input(0);
  DF_ASSIGN(const std::vector<int> perm, ReadPermutation(ctx.input(1), x.shape().rank()));
  Shape shape = x.shape();
  for (int d = 0; d < shape.rank(); ++d) shape.set_dim(d, x.shape().dim(perm[d]));
  DF_TRY(ctx.AllocateOutput(0, shape, y));
  if (shape.num_elements() == 0) return Status();
  const std::vector<int64_t> sizes(x.shape().dims().begin(), x.shape().dims().end());
  StridedCopy(ctx.pool(), x.dtype(), x.raw(), (*y)->raw(), PermutedDims(sizes, perm));
  return Status();
}

class TransposeKernel : public Kernel {
 public:
  explicit TransposeKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    Tensor* y = nullptr;
    return Permute(ctx, &y);
  }
};

class ConjugateTransposeKernel : public Kernel {
 public:
  explicit ConjugateTransposeKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    Tensor* y = nullptr;
    DF_TRY(Permute(ctx, &y));
    VisitDType<std::complex<float>, std::complex<double>>(y->dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      ctx.pool().ParallelFor(y->num_elements(), kCopyBlock, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) y->data<T>()[i] = std::conj(y->data<T>()[i]);
      });
    });
    return Status();
  }
};

class InvertPermutationKernel : public Kernel {
 public:
  explicit InvertPermutationKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    if (x.shape().rank() != 1) return IntVector(x, "the permutation").status();
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, x.shape(), &y));
    return x.dtype() == DType::kInt64 ? Invert<int64_t>(x, *y) : Invert<int32_t>(x, *y);
  }

 private:
  template <class T>
  static Status Invert(const Tensor& x, Tensor& y) {
    const auto n = static_cast<T>(x.num_elements());
    const T* const from = x.data<T>();
    T* const inverse = y.data<T>();
    std::fill_n(inverse, n, T{-1});
    for (T i = 0; i < n; ++i) {
      const T at = from[i];
      if (at < 0 || at >= n) return InvalidArgument(at, " is not between 0 and ", n);
      if (inverse[at] != -1) return InvalidArgument(at, " is duplicated in the input");
      inverse[at] = i;
    }
    return Status();
  }
};

CPU_KERNEL_ANY("Transpose", TransposeKernel);
CPU_KERNEL_ANY("ConjugateTranspose", ConjugateTransposeKernel);
CPU_KERNEL_ANY("InvertPermutation", InvertPermutationKernel);

}  // namespace
}  // namespace dfrun
