#include "kernels/array/move/transpose.h"

#include <algorithm>
#include <complex>

#include "kernels/array/copy/movement_cpu.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

class ConjugateTransposeKernel : public Kernel {
 public:
  explicit ConjugateTransposeKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    Tensor* y = nullptr;
    DF_TRY(Permute<cpu::Movement>(ctx, &y));
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

CPU_KERNEL_ANY("Transpose", TransposeKernel<cpu::Movement>);
CPU_KERNEL_ANY("ConjugateTranspose", ConjugateTransposeKernel);
CPU_KERNEL_ANY("InvertPermutation", InvertPermutationKernel);

}  // namespace
}  // namespace dfrun
