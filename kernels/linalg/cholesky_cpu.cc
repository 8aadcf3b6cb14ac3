#include <algorithm>
#include <complex>
#include <limits>

#include "kernels/device/cpu_kernel.h"
#include "kernels/linalg/matrix_batch.h"
#include "kernels/linalg/triangular.h"
#include "src/framework/kernel/kernel_of.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

double WorkOf(int64_t rows) {
  const auto n = static_cast<double>(rows);
  return n * n * n / 3;
}

template <class T>
class CholeskyKernel final : public Kernel {
 public:
  explicit CholeskyKernel(KernelSetup&) {}

  Status Compute(OpContext& ctx) {
    using C = WideType<T>;
    return MapSquareMatrices<T>(ctx, &WorkOf, [](const C* a, int64_t n, C* l) {
      if (!CholeskyFactor(a, n, l)) FillTriangleWithNaN(n, l);
      return Status();
    });
  }
  bool IsExpensive() const override { return true; }

 private:
  template <class C>
  static void FillTriangleWithNaN(int64_t n, C* l) {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    for (int64_t row = 0; row < n; ++row) {
      std::fill_n(l + row * n, row + 1, C(kNaN));
      std::fill_n(l + row * n + row + 1, n - row - 1, C(0));
    }
  }
};

template <class T>
class CholeskyGradKernel final : public Kernel {
 public:
  explicit CholeskyGradKernel(KernelSetup&) {}

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const MatrixBatch batch, FactorsOf(ctx.input(0), ctx.input(1)));
    WideOutput<T, double> y;
    DF_TRY(y.Allocate(ctx, 0, ctx.input(0).shape()));
    if (batch.elements() == 0) return Status();  // Eigen's triangular products want a first element
    DF_ASSIGN(const Tensor l, (Widened<T, double>(ctx, ctx.input(0))));
    DF_ASSIGN(const Tensor grad, (Widened<T, double>(ctx, ctx.input(1))));
    DF_TRY(ForEachMatrix(ctx.pool(), batch.count, 6 * WorkOf(batch.rows), [&](int64_t i) {
      const int64_t at = i * batch.elements();
      CholeskyGradient(l.data<double>() + at, grad.data<double>() + at, batch.rows, y.data() + at);
      return Status();
    }));
    y.Round();
    return Status();
  }
  bool IsExpensive() const override { return true; }
};

CPU_KERNEL("Cholesky", KernelOf<CholeskyKernel>, float, double, DF_COMPLEX);
CPU_KERNEL("CholeskyGrad", KernelOf<CholeskyGradKernel>, float, double);

}  // namespace
}  // namespace dfrun
