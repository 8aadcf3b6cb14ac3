#include <algorithm>
#include <complex>
#include <limits>

#include "kernels/device/cpu_kernel.h"
#include "kernels/linalg/matrix_batch.h"
#include "kernels/linalg/triangular.h"
#include "src/framework/element_types.h"
#include "src/framework/kernel_of.h"

namespace dfrun {
namespace {

double WorkOf(const MatrixBatch& batch) {
  const auto n = static_cast<double>(batch.rows);
  return n * n * n / 3;
}

template <class T>
class CholeskyKernel final : public Kernel {
 public:
  explicit CholeskyKernel(KernelSetup&) {}

  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const MatrixBatch batch, SquareMatricesOf(x));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, x.shape(), &y));
    return ForEachMatrix(ctx.pool(), batch.count, WorkOf(batch), [&](int64_t i) {
      T* l = y->data<T>() + i * batch.elements();
      if (!CholeskyFactor(x.data<T>() + i * batch.elements(), batch.rows, l)) FillTriangleWithNaN(batch.rows, l);
      return Status();
    });
  }
  bool IsExpensive() const override { return true; }

 private:
  static void FillTriangleWithNaN(int64_t n, T* l) {
    constexpr auto kNaN = std::numeric_limits<decltype(std::real(T()))>::quiet_NaN();
    for (int64_t row = 0; row < n; ++row) {
      std::fill_n(l + row * n, row + 1, T(kNaN));
      std::fill_n(l + row * n + row + 1, n - row - 1, T(0));
    }
  }
};

template <class T>
class CholeskyGradKernel final : public Kernel {
 public:
  explicit CholeskyGradKernel(KernelSetup&) {}

  Status Compute(OpContext& ctx) {
    const Tensor& l = ctx.input(0);
    const Tensor& grad = ctx.input(1);
    DF_ASSIGN(const MatrixBatch batch, FactorsOf(l, grad));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, l.shape(), &y));
    if (batch.elements() == 0) return Status();  // Eigen's triangular products want a first element
    return ForEachMatrix(ctx.pool(), batch.count, 6 * WorkOf(batch), [&](int64_t i) {
      const int64_t at = i * batch.elements();
      CholeskyGradient(l.data<T>() + at, grad.data<T>() + at, batch.rows, y->data<T>() + at);
      return Status();
    });
  }
  bool IsExpensive() const override { return true; }
};

CPU_KERNEL("Cholesky", KernelOf<CholeskyKernel>, float, double, DF_COMPLEX);
CPU_KERNEL("CholeskyGrad", KernelOf<CholeskyGradKernel>, float, double);

}  // namespace
}  // namespace dfrun
