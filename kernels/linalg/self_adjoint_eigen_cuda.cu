// Eigenvalues and eigenvectors of self-adjoint matrices on GPUs: a block of threads has a matrix, makes it tridiagonal
// by reflections and then diagonal by QR steps. The steps are those of Eigen's SelfAdjointEigenSolver, since the signs
// of vectors follow from them; so they run in the element's own type.
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/linalg/matrix_batch.h"
#include "kernels/linalg/reflection_cuda.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

using cuda::ForThreads;
using cuda::GpuMatrix;

// Memory of a matrix besides itself: [n] each.
template <class C>
struct EigenScratch {
  using Real = cuda::RealPart<C>;
  C* factors;  // factors of the reflections
  C* products;
  Real* diagonal;
  Real* beside;  // the diagonal
  Real* cosines;
  Real* sines;
  static constexpr int64_t kBytes = 2 * sizeof(C) + 4 * sizeof(Real);  // for each row

  DF_HOST_DEVICE EigenScratch(void* memory, int64_t n)
      : factors(static_cast<C*>(memory)),
        products(factors + n),
        diagonal(reinterpret_cast<Real*>(products + n)),
        beside(diagonal + n),
        cosines(beside + n),
        sines(cosines + n) {}
};

// A rotation that makes z zero in (x, z).
template <class Real>
DF_HOST_DEVICE void MakeRotation(Real x, Real z, Real& cosine, Real& sine) {
  if (z == 0) {
    cosine = x < 0 ? Real(-1) : Real(1);
    sine = 0;
  } else if (x == 0) {
    cosine = 0;
    sine = z < 0 ? Real(1) : Real(-1);
  } else if (std::abs(x) > std::abs(z)) {
    const Real t = z / x;
    const Real u = std::copysign(std::sqrt(Real(1) + t * t), x);
    cosine = Real(1) / u;
    sine = -t * cosine;
  } else {
    const Real t = x / z;
    const Real u = std::copysign(std::sqrt(Real(1) + t * t), z);
    sine = Real(-1) / u;
    cosine = -t * sine;
  }
}

// The eigenvalue of the last two rows that is nearer to the last.
template <class Real>
DF_HOST_DEVICE Real WilkinsonShift(const Real* diagonal, const Real* beside, int64_t end) {
  const Real half = (diagonal[end - 1] - diagonal[end]) * Real(0.5);
  const Real e = beside[end - 1];
  if (half == 0) return diagonal[end] - std::abs(e);
  if (e == 0) return diagonal[end];
  const Real square = e * e;
  const Real size = std::hypot(half, e);
  const Real sum = half + (half > 0 ? size : -size);
  return diagonal[end] - (square == 0 ? e / (sum / e) : square / sum);
}

// A QR step of rows [start, end]; gives the row that its rotations end before.
template <class C>
DF_HOST_DEVICE int64_t StepTridiagonal(const EigenScratch<C>& s, int64_t start, int64_t end) {
  using Real = cuda::RealPart<C>;
  Real* const d = s.diagonal;
  Real* const b = s.beside;
  Real x = d[start] - WilkinsonShift(d, b, end);
  Real z = b[start];
  int64_t k = start;
  for (; k < end && z != 0; ++k) {
    Real cosine;
    Real sine;
    MakeRotation(x, z, cosine, sine);
    const Real sdk = sine * d[k] + cosine * b[k];
    const Real dkp1 = sine * b[k] + cosine * d[k + 1];
    d[k] = cosine * (cosine * d[k] - sine * b[k]) - sine * (cosine * b[k] - sine * d[k + 1]);
    d[k + 1] = sine * sdk + cosine * dkp1;
    b[k] = cosine * sdk - sine * dkp1;
    if (k > start) b[k - 1] = cosine * b[k - 1] - sine * z;
    x = b[k];
    if (k < end - 1) {
      z = -sine * b[k + 1];
      b[k + 1] = cosine * b[k + 1];
    }
    s.cosines[k] = cosine;
    s.sines[k] = sine;
  }
  return k;
}

// Elements beside the diagonal that are too small to count become 0.
template <class Real>
DF_HOST_DEVICE void DropSmall(const Real* diagonal, Real* beside, int64_t start, int64_t end) {
  for (int64_t i = start; i < end; ++i) {
    const Real scaled = beside[i] * (Real(1) / std::numeric_limits<Real>::epsilon());
    const bool is_small = std::abs(beside[i]) < std::numeric_limits<Real>::min() ||
                          scaled * scaled <= std::abs(diagonal[i]) + std::abs(diagonal[i + 1]);
    if (is_small) beside[i] = 0;
  }
}

template <class C>
DF_DEVICE_FUNCTION C ElementOf(const GpuMatrix<C>& lower, int64_t i, int64_t j) {
  if (i == j) return C(cuda::RealOf(lower(i, i)));
  return i > j ? lower(i, j) : cuda::ConjugateOf(lower(j, i));
}

// The lower triangle of a becomes tridiagonal; below that lie the vectors of the reflections.
template <class C>
DF_DEVICE_FUNCTION void MakeTridiagonal(const GpuMatrix<C>& a, int64_t n, const EigenScratch<C>& s) {
  using Real = cuda::RealPart<C>;
  for (int64_t i = 0; i + 1 < n; ++i) {
    const int64_t first = i + 1;
    const C factor = cuda::MakeReflection(a, n, first, i);
    const C turned = cuda::ConjugateOf(factor);
    const auto vector = [&](int64_t row) { return row == first ? C(1) : a(row, i); };
    ForThreads(first, n, [&](int64_t row) {
      C sum(0);
      for (int64_t j = first; j < n; ++j) sum += ElementOf(a, row, j) * (turned * vector(j));
      s.products[row] = sum;
    });
    cuda::Barrier();
    C mine(0);
    ForThreads(first, n, [&](int64_t row) { mine += cuda::ConjugateOf(s.products[row]) * vector(row); });
    const C along = turned * C(Real(-0.5)) * cuda::BlockReduce(mine, cuda::Plus());
    ForThreads(first, n, [&](int64_t row) { s.products[row] += along * vector(row); });
    cuda::Barrier();
    const int64_t rest = n - first;
    ForThreads(0, rest * rest, [&](int64_t at) {
      const int64_t row = first + at / rest;
      const int64_t j = first + at % rest;
      if (j > row) return;
      a(row, j) -= vector(row) * cuda::ConjugateOf(s.products[j]) + s.products[row] * cuda::ConjugateOf(vector(j));
    });
    if (cuda::ThreadInBlock() == 0) s.factors[i] = factor;
    cuda::Barrier();
  }
}

// The product of the reflections.
template <class C>
DF_DEVICE_FUNCTION void MultiplyReflections(const GpuMatrix<C>& a, int64_t n, const EigenScratch<C>& s,
                                            const GpuMatrix<C>& v) {
  ForThreads(0, n, [&](int64_t j) {
    for (int64_t i = 0; i < n; ++i) v(i, j) = i == j ? C(1) : C(0);
    for (int64_t k = n - 2; k >= 0; --k) cuda::Reflect(a, n, k + 1, k, cuda::ConjugateOf(s.factors[k]), v, j);
  });
}

// Turns the columns of v as the rotations of rows [start, end) say.
template <class C>
DF_DEVICE_FUNCTION void TurnColumns(const GpuMatrix<C>& v, int64_t n, const EigenScratch<C>& s, int64_t start,
                                    int64_t end) {
  ForThreads(0, n, [&](int64_t row) {
    for (int64_t k = start; k < end; ++k) {
      const C x = v(row, k);
      const C y = v(row, k + 1);
      v(row, k) = s.cosines[k] * x - s.sines[k] * y;
      v(row, k + 1) = s.sines[k] * x + s.cosines[k] * y;
    }
  });
}

// The state that one thread shares with the others.
struct Steps {
  int64_t start;
  int64_t end;   // end of the rows that are not yet diagonal
  int64_t stop;  // rotations end before it
  int64_t count;
  bool goes_on;
};

// False where the values are not found in 30 steps a row.
template <class C>
DF_DEVICE_FUNCTION bool MakeDiagonal(int64_t n, const EigenScratch<C>& s, const GpuMatrix<C>& v) {
  DF_DEVICE_SHARED(Steps, steps, 1);
  const int64_t most = 30 * n;
  if (cuda::ThreadInBlock() == 0) *steps = {0, n - 1, 0, 0, true};
  cuda::Barrier();
  while (true) {
    if (cuda::ThreadInBlock() == 0) {
      DropSmall(s.diagonal, s.beside, steps->start, steps->end);
      while (steps->end > 0 && s.beside[steps->end - 1] == 0) --steps->end;
      steps->goes_on = steps->end > 0 && ++steps->count <= most;
      if (steps->goes_on) {
        steps->start = steps->end - 1;
        while (steps->start > 0 && s.beside[steps->start - 1] != 0) --steps->start;
        steps->stop = StepTridiagonal(s, steps->start, steps->end);
      }
    }
    cuda::Barrier();
    if (!steps->goes_on) break;
    if (v.data != nullptr) TurnColumns(v, n, s, steps->start, steps->stop);
    cuda::Barrier();
  }
  return steps->count <= most;
}

// Rising values, and their columns of v.
template <class C>
DF_DEVICE_FUNCTION void SortColumns(int64_t n, const EigenScratch<C>& s, const GpuMatrix<C>& v) {
  for (int64_t i = 0; i + 1 < n; ++i) {
    int64_t least = i;
    for (int64_t k = i + 1; k < n; ++k) {
      if (s.diagonal[k] < s.diagonal[least]) least = k;
    }
    cuda::Barrier();  // all have found it
    if (least == i) continue;
    if (cuda::ThreadInBlock() == 0) {
      const auto kept = s.diagonal[i];
      s.diagonal[i] = s.diagonal[least];
      s.diagonal[least] = kept;
    }
    if (v.data != nullptr) {
      ForThreads(0, n, [&](int64_t row) {
        const C kept = v(row, i);
        v(row, i) = v(row, least);
        v(row, least) = kept;
      });
    }
    cuda::Barrier();
  }
}

struct LargerOf {
  template <class Real>
  DF_HOST_DEVICE Real operator()(Real a, Real b) const {
    return b > a ? b : a;
  }
};

// `vectors` is null where they are not wanted. The matrices are lost.
template <class C>
DF_DEVICE_KERNEL void FindEigenvalues(C* matrices, C* values, C* vectors, unsigned char* scratch, int64_t n,
                                      int32_t* error_flag) {
  using Real = cuda::RealPart<C>;
  using std::abs;
  const GpuMatrix<C> a = cuda::MatrixOfBlock(matrices, n, n);
  GpuMatrix<C> v = {nullptr, n};
  if (vectors != nullptr) v = cuda::MatrixOfBlock(vectors, n, n);
  const EigenScratch<C> s(scratch + cuda::GlobalBlockId() * n * EigenScratch<C>::kBytes, n);
  Real mine = 0;
  ForThreads(0, n * n, [&](int64_t at) {
    if (at % n <= at / n) mine = LargerOf()(mine, static_cast<Real>(abs(a.data[at])));
  });
  const Real largest = cuda::BlockReduce(mine, LargerOf());
  const Real scale = n == 1 || largest == 0 ? Real(1) : largest;
  ForThreads(0, n * n, [&](int64_t at) { a.data[at] = a.data[at] / scale; });
  cuda::Barrier();
  MakeTridiagonal(a, n, s);
  ForThreads(0, n, [&](int64_t k) {
    s.diagonal[k] = cuda::RealOf(a(k, k));
    if (k + 1 < n) s.beside[k] = cuda::RealOf(a(k + 1, k));
  });
  if (v.data != nullptr) MultiplyReflections(a, n, s, v);
  cuda::Barrier();
  if (!MakeDiagonal(n, s, v)) {
    if (cuda::ThreadInBlock() == 0) *error_flag = 1;
    return;
  }
  SortColumns(n, s, v);
  ForThreads(0, n, [&](int64_t k) { values[cuda::GlobalBlockId() * n + k] = C(s.diagonal[k] * scale); });
}

template <class T>
class SelfAdjointEigenKernel final : public Kernel {
 public:
  explicit SelfAdjointEigenKernel(KernelSetup& setup)
      : vectors_(setup.attr<bool>("compute_v")),
        error_flag_(
            setup, "Self-adjoint eigen decomposition was not successful. The input might not be valid: is it finite?") {
  }

  Status Compute(OpContext& ctx) {
    using C = cuda::GpuType<T>;
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const MatrixBatch a, SquareMatricesOf(x));
    DF_ASSIGN(const Shape e_shape, BatchShape(x, {a.rows}));
    Tensor* e = nullptr;
    Tensor* v = nullptr;
    DF_TRY(ctx.AllocateOutput(0, e_shape, &e));
    DF_TRY(ctx.AllocateOutput(1, vectors_ ? x.shape() : Shape({0}), &v));
    if (x.num_elements() == 0) return Status();
    DF_ASSIGN(Tensor copy, ctx.AllocateTemp(x.dtype(), x.shape()));
    DF_TRY(cuda::EnqueueBytes(ctx, x.raw(), copy.raw(), x.num_bytes()));
    DF_ASSIGN(Tensor scratch, ctx.AllocateTemp(DType::kUint8, Shape({a.count * a.rows * EigenScratch<C>::kBytes})));
    return cuda::LaunchWithBarriers(ctx, a.count, &FindEigenvalues<C>, static_cast<C*>(copy.raw()),
                                    static_cast<C*>(e->raw()), vectors_ ? static_cast<C*>(v->raw()) : nullptr,
                                    scratch.data<uint8_t>(), a.rows, error_flag_.word());
  }

 private:
  const bool vectors_;
  const cuda::DeviceErrorFlag error_flag_;
};

struct SelfAdjointEigen {
  template <class T>
  using Kernel = SelfAdjointEigenKernel<T>;
};

CUDA_KERNEL("SelfAdjointEigV2", SelfAdjointEigen, float, double, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
