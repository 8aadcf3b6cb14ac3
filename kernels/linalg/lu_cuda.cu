// Solutions, inverses and determinants on GPUs by the LU decomposition with partial pivoting: a block of threads has a
// matrix.
#include <utility>

#include "kernels/linalg/equations.h"
#include "kernels/linalg/matrix_cuda.h"
#include "kernels/linalg/pivots.h"
#include "kernels/linalg/wide_cuda.h"
#include "kernels/matrix/batch_pairs.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

using cuda::ForThreads;
using cuda::GpuMatrix;

// An element of a column, for the largest; the first of equals.
struct Candidate {
  double square;
  int64_t row;
};
struct Larger {
  DF_HOST_DEVICE Candidate operator()(Candidate a, Candidate b) const {
    return b.square > a.square || (b.square == a.square && b.row < a.row) ? b : a;
  }
};

// A NaN is the largest where it is the first, and never else, as in Eigen.
template <class C>
DF_DEVICE_FUNCTION int64_t PivotRow(const GpuMatrix<C>& a, int64_t n, int64_t k) {
  const double first = cuda::SquareOf(a(k, k));
  if (first != first) return k;
  Candidate mine = {-1.0, n};
  ForThreads(k, n, [&](int64_t i) { mine = Larger()(mine, {cuda::SquareOf(a(i, k)), i}); });
  return cuda::BlockReduce(mine, Larger()).row;
}

template <class C>
DF_DEVICE_FUNCTION void SwapRows(const GpuMatrix<C>& a, int64_t i, int64_t j) {
  ForThreads(0, a.columns, [&](int64_t column) {
    const C kept = a(i, column);
    a(i, column) = a(j, column);
    a(j, column) = kept;
  });
}

// a becomes its factors, l below the diagonal, u from it on, and the rows of x move as those of a do. Says whether they
// were permuted oddly.
template <class C>
DF_DEVICE_FUNCTION bool Decompose(const GpuMatrix<C>& a, int64_t n, const GpuMatrix<C>& x) {
  bool is_odd = false;
  for (int64_t k = 0; k < n; ++k) {
    const int64_t row = PivotRow(a, n, k);
    if (row != k) {
      is_odd = !is_odd;
      SwapRows(a, k, row);
      SwapRows(x, k, row);
    }
    cuda::Barrier();
    const C pivot = a(k, k);
    if (!(pivot == C(0))) ForThreads(k + 1, n, [&](int64_t i) { a(i, k) = a(i, k) / pivot; });
    cuda::Barrier();
    const int64_t rest = n - k - 1;
    ForThreads(0, rest * rest, [&](int64_t at) {
      const int64_t i = k + 1 + at / rest;
      const int64_t j = k + 1 + at % rest;
      a(i, j) -= a(i, k) * a(k, j);
    });
    cuda::Barrier();
  }
  return is_odd;
}

// True if the smallest pivot is not above zero. It is found as TensorFlow finds it: a NaN is smaller than any where it
// is the first, and goes on into the result where it is a later one.
template <class C>
DF_DEVICE_FUNCTION bool IsSingular(const GpuMatrix<C>& a, int64_t n) {
  if (n == 0) return false;
  double smallest = cuda::SquareOf(a(0, 0));
  for (int64_t i = 1; i < n; ++i) {
    const double square = cuda::SquareOf(a(i, i));
    if (square < smallest) smallest = square;
  }
  return !(smallest > 0);
}

// x [n, k], the right-hand sides, becomes the solutions; a is lost.
template <class C>
DF_DEVICE_KERNEL void Solve(C* matrices, C* solutions, int64_t n, int64_t k, int32_t* error_flag) {
  const GpuMatrix<C> a = cuda::MatrixOfBlock(matrices, n, n);
  const GpuMatrix<C> x = cuda::MatrixOfBlock(solutions, n, k);
  Decompose(a, n, x);
  if (cuda::ThreadInBlock() == 0 && IsSingular(a, n)) *error_flag = 1;
  ForThreads(0, k, [&](int64_t j) {
    for (int64_t i = 1; i < n; ++i) {
      C value = x(i, j);
      for (int64_t m = 0; m < i; ++m) value -= a(i, m) * x(m, j);
      x(i, j) = value;
    }
    for (int64_t i = n - 1; i >= 0; --i) {
      C value = x(i, j);
      for (int64_t m = i + 1; m < n; ++m) value -= a(i, m) * x(m, j);
      x(i, j) = value / a(i, i);
    }
  });
}

template <class C>
DF_DEVICE_KERNEL void SetIdentities(C* matrices, int64_t n, int64_t count) {
  const int64_t i = cuda::GlobalThreadId();
  if (i >= count) return;
  const int64_t at = i % (n * n);
  matrices[i] = at / n == at % n ? C(1) : C(0);
}

// Numbers that follow from the pivots; the second is not written where it is null.
template <class C, class First, class Second>
DF_DEVICE_KERNEL void NumbersOfPivots(C* matrices, int64_t n, C* first, C* second) {
  const GpuMatrix<C> a = cuda::MatrixOfBlock(matrices, n, n);
  const bool is_odd = Decompose(a, n, GpuMatrix<C>{nullptr, 0});
  if (cuda::ThreadInBlock() != 0) return;
  const Pivots<C> pivots = {a.data, n, n + 1, is_odd};
  first[cuda::GlobalBlockId()] = First()(pivots);
  if (second != nullptr) second[cuda::GlobalBlockId()] = Second()(pivots);
}

class SolvingKernel : public Kernel {
 public:
  explicit SolvingKernel(KernelSetup& setup)
      : adjoint_(setup.attr<bool>("adjoint")), error_flag_(setup, "Input matrix is not invertible.") {}

 protected:
  // Solves equations of wide matrices and right-hand sides, [count, n, k].
  Status Run(OpContext& ctx, DType dtype, Tensor& matrices, void* x, const MatrixBatch& matrix, int64_t k) const {
    return cuda::WithWideType(dtype, [&](auto* type) {
      using C = std::remove_pointer_t<decltype(type)>;
      return cuda::LaunchWithBarriers(ctx, matrix.count, &Solve<C>, static_cast<C*>(matrices.raw()), static_cast<C*>(x),
                                      matrix.rows, k, error_flag_.word());
    });
  }

  const bool adjoint_;
  const cuda::DeviceErrorFlag error_flag_;
};

class MatrixInverseKernel final : public SolvingKernel {
 public:
  using SolvingKernel::SolvingKernel;
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const MatrixBatch batch, SquareMatricesOf(x));
    cuda::WideResult y;
    DF_TRY(y.Allocate(ctx, 0, x.shape()));
    if (x.num_elements() == 0) return Status();
    DF_ASSIGN(Tensor wide, cuda::WideMatrices(ctx, x, batch, adjoint_));
    DF_TRY(cuda::WithWideType(x.dtype(), [&](auto* type) {
      using C = std::remove_pointer_t<decltype(type)>;
      return cuda::Launch(ctx, x.num_elements(), &SetIdentities<C>, static_cast<C*>(y.raw()), batch.rows,
                          x.num_elements());
    }));
    DF_TRY(Run(ctx, x.dtype(), wide, y.raw(), batch, batch.rows));
    return y.Round(ctx);
  }
};

class MatrixSolveKernel final : public SolvingKernel {
 public:
  using SolvingKernel::SolvingKernel;
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const Equations e, EquationsOf(ctx));
    const Tensor& matrix = ctx.input(0);
    const Tensor& rhs = ctx.input(1);
    DF_TRY(CheckSameBatch(matrix.shape(), rhs.shape()));
    DF_ASSIGN(Tensor wide, cuda::WideMatrices(ctx, matrix, e.matrix, adjoint_));
    DF_ASSIGN(Tensor wide_rhs, cuda::WideMatrices(ctx, rhs, e.rhs));
    cuda::WideResult x;
    DF_TRY(x.Adopt(ctx, 0, rhs.shape(), std::move(wide_rhs)));
    if (rhs.num_elements() == 0) return Status();
    DF_TRY(Run(ctx, matrix.dtype(), wide, x.raw(), e.matrix, e.rhs.columns));
    return x.Round(ctx);
  }
};

// Two numbers where the op has two outputs.
template <class First, class Second>
class PivotsKernel final : public Kernel {
 public:
  explicit PivotsKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const MatrixBatch batch, SquareMatricesOf(x));
    DF_ASSIGN(const Shape shape, BatchShape(x, {}));
    cuda::WideResult numbers[2];
    for (int i = 0; i < ctx.num_outputs(); ++i) DF_TRY(numbers[i].Allocate(ctx, i, shape));
    DF_ASSIGN(Tensor wide, cuda::WideMatrices(ctx, x, batch));
    DF_TRY(cuda::WithWideType(x.dtype(), [&](auto* type) {
      using C = std::remove_pointer_t<decltype(type)>;
      C* const second = ctx.num_outputs() > 1 ? static_cast<C*>(numbers[1].raw()) : nullptr;
      return cuda::LaunchWithBarriers(ctx, batch.count, &NumbersOfPivots<C, First, Second>, static_cast<C*>(wide.raw()),
                                      batch.rows, static_cast<C*>(numbers[0].raw()), second);
    }));
    for (int i = 0; i < ctx.num_outputs(); ++i) DF_TRY(numbers[i].Round(ctx));
    return Status();
  }
};

template <class K>
struct ForAll {
  template <class>
  using Kernel = K;
};
using DeterminantKernel = PivotsKernel<Determinant, Determinant>;
using LogDeterminantKernel = PivotsKernel<SignOfDeterminant, LogOfDeterminant>;

CUDA_KERNEL("MatrixInverse", ForAll<MatrixInverseKernel>, float16, float, double, DF_COMPLEX);
CUDA_KERNEL("MatrixSolve", ForAll<MatrixSolveKernel>, float, double, DF_COMPLEX);
CUDA_KERNEL("MatrixDeterminant", ForAll<DeterminantKernel>, float, double, DF_COMPLEX);
CUDA_KERNEL("LogMatrixDeterminant", ForAll<LogDeterminantKernel>, float, double, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
