// Cholesky factors on GPUs, and their gradients: a block of threads has a matrix.
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/linalg/matrix_cuda.h"
#include "kernels/linalg/wide_cuda.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

using cuda::ForThreads;
using cuda::GpuMatrix;

// Factors matrices in place: the lower triangle is read and becomes the factor; NaN where the matrix is not positive
// definite. The upper triangle becomes zeros.
template <class C>
DF_DEVICE_KERNEL void Factor(C* matrices, int64_t n) {
  DF_DEVICE_SHARED(int, fails, 1);
  const GpuMatrix<C> a = cuda::MatrixOfBlock(matrices, n, n);
  if (cuda::ThreadInBlock() == 0) *fails = 0;
  cuda::Barrier();
  for (int64_t k = 0; k < n; ++k) {
    const double square = cuda::RealOf(a(k, k));
    const double pivot = std::sqrt(square);
    cuda::Barrier();  // all have read the square
    if (cuda::ThreadInBlock() == 0) {
      if (square <= 0) *fails = 1;
      a(k, k) = C(pivot);
    }
    ForThreads(k + 1, n, [&](int64_t i) { a(i, k) = a(i, k) / pivot; });
    cuda::Barrier();
    if (*fails != 0) break;
    ForThreads(0, (n - k - 1) * (n - k - 1), [&](int64_t at) {
      const int64_t i = k + 1 + at / (n - k - 1);
      const int64_t j = k + 1 + at % (n - k - 1);
      if (j <= i) a(i, j) -= a(i, k) * cuda::ConjugateOf(a(j, k));
    });
    cuda::Barrier();
  }
  const bool is_factor = *fails == 0;
  ForThreads(0, n * n, [&](int64_t at) {
    const bool is_upper = at % n > at / n;
    if (is_upper) a.data[at] = C(0);
    if (!is_upper && !is_factor) a.data[at] = C(std::numeric_limits<double>::quiet_NaN());
  });
}

// The gradient is the symmetric part of l^-T P l^-1, where P is the lower triangle of l^T grad with its diagonal halved
// (Murray 2016, eq. 10).
DF_DEVICE_KERNEL void FactorGradient(const double* factors, const double* grads, double* middles, double* results,
                                     int64_t n) {
  const GpuMatrix<const double> l = cuda::MatrixOfBlock(factors, n, n);
  const GpuMatrix<const double> grad = cuda::MatrixOfBlock(grads, n, n);
  const GpuMatrix<double> middle = cuda::MatrixOfBlock(middles, n, n);
  ForThreads(0, n * n, [&](int64_t at) {
    const int64_t i = at / n;
    const int64_t j = at % n;
    double sum = 0;
    if (j <= i) {
      for (int64_t k = i; k < n; ++k) sum += l(k, i) * grad(k, j);
    }
    middle(i, j) = i == j ? sum / 2 : sum;
  });
  cuda::Barrier();
  ForThreads(0, n, [&](int64_t j) {  // columns: l^T x = middle
    for (int64_t i = n - 1; i >= 0; --i) {
      double value = middle(i, j);
      for (int64_t k = i + 1; k < n; ++k) value -= l(k, i) * middle(k, j);
      middle(i, j) = value / l(i, i);
    }
  });
  cuda::Barrier();
  ForThreads(0, n, [&](int64_t i) {  // rows: x l = middle
    for (int64_t j = n - 1; j >= 0; --j) {
      double value = middle(i, j);
      for (int64_t k = j + 1; k < n; ++k) value -= middle(i, k) * l(k, j);
      middle(i, j) = value / l(j, j);
    }
  });
  cuda::Barrier();
  const GpuMatrix<double> result = cuda::MatrixOfBlock(results, n, n);
  ForThreads(0, n * n, [&](int64_t at) {
    const int64_t i = at / n;
    const int64_t j = at % n;
    result(i, j) = (middle(i, j) + middle(j, i)) / 2;
  });
}

class CholeskyKernel final : public Kernel {
 public:
  explicit CholeskyKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const MatrixBatch batch, SquareMatricesOf(x));
    DF_ASSIGN(Tensor wide, cuda::WideMatrices(ctx, x, batch));
    cuda::WideResult y;
    DF_TRY(y.Adopt(ctx, 0, x.shape(), std::move(wide)));
    if (x.num_elements() == 0) return Status();
    DF_TRY(cuda::WithWideType(x.dtype(), [&](auto* type) {
      using C = std::remove_pointer_t<decltype(type)>;
      return cuda::LaunchWithBarriers(ctx, batch.count, &Factor<C>, static_cast<C*>(y.raw()), batch.rows);
    }));
    return y.Round(ctx);
  }
};

class CholeskyGradKernel final : public Kernel {
 public:
  explicit CholeskyGradKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& l = ctx.input(0);
    const Tensor& grad = ctx.input(1);
    DF_ASSIGN(const MatrixBatch batch, FactorsOf(l, grad));
    cuda::WideResult y;
    DF_TRY(y.Allocate(ctx, 0, l.shape()));
    if (l.num_elements() == 0) return Status();
    DF_ASSIGN(const Tensor wide, cuda::WideMatrices(ctx, l, batch));
    DF_ASSIGN(const Tensor wide_grad, cuda::WideMatrices(ctx, grad, batch));
    DF_ASSIGN(Tensor middle, ctx.AllocateTemp(DType::kDouble, l.shape()));
    DF_TRY(cuda::LaunchWithBarriers(ctx, batch.count, &FactorGradient, wide.data<double>(), wide_grad.data<double>(),
                                    middle.data<double>(), static_cast<double*>(y.raw()), batch.rows));
    return y.Round(ctx);
  }
};

struct Cholesky {
  template <class>
  using Kernel = CholeskyKernel;
};
struct CholeskyGrad {
  template <class>
  using Kernel = CholeskyGradKernel;
};

CUDA_KERNEL("Cholesky", Cholesky, float, double, DF_COMPLEX);
CUDA_KERNEL("CholeskyGrad", CholeskyGrad, float, double);

}  // namespace
}  // namespace dfrun
