// Singular values and vectors on GPUs: a block of threads has a matrix, which QR with column pivoting makes square and
// Jacobi rotations diagonal. The steps are those of Eigen's JacobiSVD, since the signs of vectors follow from them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/linalg/reflection_cuda.h"
#include "kernels/linalg/wide_cuda.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

using cuda::Barrier;
using cuda::ConjugateOf;
using cuda::ForThreads;
using cuda::GpuMatrix;
using cuda::RealOf;
using cuda::SquareOf;

constexpr double kTiny = std::numeric_limits<double>::min();
constexpr double kPrecision = std::numeric_limits<double>::epsilon();

template <class C>
DF_HOST_DEVICE double SizeOf(C x) {
  if constexpr (kIsComplex<C>) {
    return std::hypot(x.real(), x.imag());
  } else {
    return std::abs(x);
  }
}
template <class C>
DF_HOST_DEVICE double ImagOf(C x) {
  if constexpr (kIsComplex<C>) {
    return x.imag();
  } else {
    return 0;
  }
}

template <class C>
struct Rotation {
  C cosine;
  C sine;
};

// Rotates rows p and q of a: x, y become c x + conj(s) y, -s x + conj(c) y.
template <class C, class R>
DF_DEVICE_FUNCTION void TurnRows(const GpuMatrix<C>& a, int64_t p, int64_t q, const Rotation<R>& turn) {
  ForThreads(0, a.columns, [&](int64_t j) {
    const C x = a(p, j);
    const C y = a(q, j);
    a(p, j) = turn.cosine * x + ConjugateOf(turn.sine) * y;
    a(q, j) = ConjugateOf(turn.cosine) * y - turn.sine * x;
  });
  Barrier();
}

// Rotates columns p and q of a [rows, ...]: x, y become c x + conj(s) y, -s x + conj(c) y. Does nothing for a null a.
template <class C, class R>
DF_DEVICE_FUNCTION void TurnColumns(const GpuMatrix<C>& a, int64_t rows, int64_t p, int64_t q,
                                    const Rotation<R>& turn) {
  if (a.data != nullptr) {
    ForThreads(0, rows, [&](int64_t i) {
      const C x = a(i, p);
      const C y = a(i, q);
      a(i, p) = turn.cosine * x + ConjugateOf(turn.sine) * y;
      a(i, q) = ConjugateOf(turn.cosine) * y - turn.sine * x;
    });
  }
  Barrier();
}

template <class C>
DF_DEVICE_FUNCTION void ScaleRow(const GpuMatrix<C>& a, int64_t p, C factor) {
  ForThreads(0, a.columns, [&](int64_t j) { a(p, j) = a(p, j) * factor; });
  Barrier();
}
template <class C>
DF_DEVICE_FUNCTION void ScaleColumn(const GpuMatrix<C>& a, int64_t rows, int64_t p, C factor) {
  if (a.data != nullptr) ForThreads(0, rows, [&](int64_t i) { a(i, p) = a(i, p) * factor; });
  Barrier();
}
template <class C>
DF_DEVICE_FUNCTION void SwapColumns(const GpuMatrix<C>& a, int64_t rows, int64_t p, int64_t q) {
  if (a.data != nullptr) {
    ForThreads(0, rows, [&](int64_t i) {
      const C kept = a(i, p);
      a(i, p) = a(i, q);
      a(i, q) = kept;
    });
  }
  Barrier();
}
template <class C>
DF_DEVICE_FUNCTION void SetIdentity(const GpuMatrix<C>& a, int64_t rows) {
  if (a.data == nullptr) return;
  ForThreads(0, rows * a.columns, [&](int64_t at) { a.data[at] = at / a.columns == at % a.columns ? C(1) : C(0); });
}

// A matrix and the vectors of its rows' and columns' spaces: null where they are not wanted.
template <class C>
struct Decomposition {
  GpuMatrix<C> work;  // [size, size]
  int64_t size;
  GpuMatrix<C> u;
  int64_t u_rows;
  GpuMatrix<C> v;
  int64_t v_rows;

  DF_HOST_DEVICE double LargerDiagonal(double largest, int64_t p, int64_t q) const {
    const double a = SizeOf(work(p, p));
    const double b = SizeOf(work(q, q));
    const double larger = a < b ? b : a;
    return largest < larger ? larger : largest;
  }
  DF_HOST_DEVICE bool IsDiagonal(int64_t p, int64_t q, double threshold) const {
    threshold = threshold < kTiny ? kTiny : threshold;
    return !(SizeOf(work(p, q)) > threshold || SizeOf(work(q, p)) > threshold);
  }
};

// Norms of the columns below row k, as they are known, and as they last were computed.
struct ColumnNorms {
  double* updated;
  double* direct;
};

template <class C>
DF_DEVICE_FUNCTION double NormBelow(const GpuMatrix<C>& a, int64_t rows, int64_t first, int64_t j) {
  double sum = 0;
  for (int64_t i = first; i < rows; ++i) sum += SquareOf(a(i, j));
  return std::sqrt(sum);
}

template <class C>
DF_DEVICE_FUNCTION void UpdateNorm(const GpuMatrix<C>& a, int64_t rows, int64_t k, int64_t j,
                                   const ColumnNorms& norms) {
  if (norms.updated[j] == 0) return;
  const double part = SizeOf(a(k, j)) / norms.updated[j];
  const double rest = (1 + part) * (1 - part);
  const double left = rest < 0 ? 0 : rest;
  const double ratio = norms.updated[j] / norms.direct[j];
  if (left * (ratio * ratio) <= std::sqrt(kPrecision)) {
    norms.direct[j] = NormBelow(a, rows, k + 1, j);
    norms.updated[j] = norms.direct[j];
  } else {
    norms.updated[j] *= std::sqrt(left);
  }
}

// a [rows, columns], which is tall, becomes its triangle, below it the reflections whose factors are `factors`; the
// columns of `order` move as those of a do.
template <class C>
DF_DEVICE_FUNCTION void PivotedQr(const GpuMatrix<C>& a, int64_t rows, const GpuMatrix<C>& order, C* factors,
                                  const ColumnNorms& norms) {
  const int64_t columns = a.columns;
  ForThreads(0, columns, [&](int64_t j) { norms.updated[j] = norms.direct[j] = NormBelow(a, rows, 0, j); });
  Barrier();
  for (int64_t k = 0; k < columns; ++k) {
    int64_t largest = k;
    for (int64_t j = k + 1; j < columns; ++j) {
      if (norms.updated[j] > norms.updated[largest]) largest = j;
    }
    Barrier();  // all have found it
    if (largest != k) {
      SwapColumns(a, rows, k, largest);
      SwapColumns(order, columns, k, largest);
      if (cuda::ThreadInBlock() == 0) {
        norms.updated[largest] = norms.updated[k];
        norms.direct[largest] = norms.direct[k];
      }
    }
    const C factor = cuda::MakeReflection(a, rows, k, k);
    if (cuda::ThreadInBlock() == 0) factors[k] = factor;
    ForThreads(k + 1, columns, [&](int64_t j) {
      cuda::Reflect(a, rows, k, k, factor, a, j);
      UpdateNorm(a, rows, k, j, norms);
    });
    Barrier();
  }
}

// Reduces `tall` [rows, columns], which with `is_adjoint` is the adjoint of the matrix, to a square: its triangle goes
// to d.work, the product of its reflections to `along`.
template <class C>
DF_DEVICE_FUNCTION void MakeSquare(const GpuMatrix<C>& tall, int64_t rows, bool is_adjoint, const Decomposition<C>& d,
                                   C* factors, const ColumnNorms& norms) {
  const GpuMatrix<C>& along = is_adjoint ? d.v : d.u;
  const GpuMatrix<C>& across = is_adjoint ? d.u : d.v;
  SetIdentity(across, d.size);
  Barrier();
  PivotedQr(tall, rows, across, factors, norms);
  ForThreads(0, d.size * d.size, [&](int64_t at) {
    const int64_t i = at / d.size;
    const int64_t j = at % d.size;
    const C value = j >= i ? tall(i, j) : C(0);
    if (is_adjoint) {
      d.work(j, i) = ConjugateOf(value);
    } else {
      d.work(i, j) = value;
    }
  });
  if (along.data != nullptr) {
    ForThreads(0, along.columns, [&](int64_t j) {
      for (int64_t i = 0; i < rows; ++i) along(i, j) = i == j ? C(1) : C(0);
      for (int64_t k = d.size - 1; k >= 0; --k) cuda::Reflect(tall, rows, k, k, ConjugateOf(factors[k]), along, j);
    });
  }
  Barrier();
}

// Makes the block of rows and columns p and q real. Gives the largest element of the diagonal as it then is known.
template <class C>
DF_DEVICE_FUNCTION double MakeReal(const Decomposition<C>& d, int64_t p, int64_t q, double largest) {
  const GpuMatrix<C>& w = d.work;
  const auto phase = [](C x) { return C(SizeOf(x)) / x; };
  const double size = std::sqrt(SquareOf(w(p, p)) + SquareOf(w(q, p)));
  const Rotation<C> turn = {ConjugateOf(w(p, p)) / C(size), w(q, p) / C(size)};
  Barrier();  // all have read the column
  if (size == 0) {
    if (cuda::ThreadInBlock() == 0) w(p, p) = w(q, p) = C(0);
    Barrier();
    if (std::abs(ImagOf(w(p, q))) > kTiny) {
      const C z = phase(w(p, q));
      Barrier();
      ScaleRow(w, p, z);
      ScaleColumn(d.u, d.u_rows, p, ConjugateOf(z));
    }
  } else {
    TurnRows(w, p, q, turn);
    TurnColumns(d.u, d.u_rows, p, q, Rotation<C>{ConjugateOf(turn.cosine), ConjugateOf(turn.sine)});
    if (std::abs(ImagOf(w(p, q))) > kTiny) {
      const C z = phase(w(p, q));
      Barrier();
      ScaleColumn(w, d.size, q, z);
      ScaleColumn(d.v, d.v_rows, q, z);
    }
  }
  if (std::abs(ImagOf(w(q, q))) > kTiny) {
    const C z = phase(w(q, q));
    Barrier();
    ScaleRow(w, q, z);
    ScaleColumn(d.u, d.u_rows, q, ConjugateOf(z));
  }
  return d.LargerDiagonal(largest, p, q);
}

// Rotations that make the block of rows and columns p and q, which is real, diagonal: of rows, and of columns.
template <class C>
DF_HOST_DEVICE void FindRotations(const GpuMatrix<C>& w, int64_t p, int64_t q, Rotation<double>& left,
                                  Rotation<double>& right) {
  const double m[2][2] = {{RealOf(w(p, p)), RealOf(w(p, q))}, {RealOf(w(q, p)), RealOf(w(q, q))}};
  const double sum = m[0][0] + m[1][1];
  const double difference = m[1][0] - m[0][1];
  Rotation<double> first = {1, 0};
  if (std::abs(difference) >= kTiny) {
    const double u = sum / difference;
    const double size = std::sqrt(1 + u * u);
    first = {u / size, 1 / size};
  }
  const double x = first.cosine * m[0][0] + first.sine * m[1][0];
  const double y = first.cosine * m[0][1] + first.sine * m[1][1];
  const double z = first.cosine * m[1][1] - first.sine * m[0][1];
  right = {1, 0};
  if (2 * std::abs(y) >= kTiny) {
    const double tau = (x - z) / (2 * std::abs(y));
    const double size = std::sqrt(tau * tau + 1);
    const double t = 1 / (tau > 0 ? tau + size : tau - size);
    const double n = 1 / std::sqrt(t * t + 1);
    right = {n, -(t > 0 ? 1.0 : -1.0) * (y / std::abs(y)) * std::abs(t) * n};
  }
  left = {first.cosine * right.cosine + first.sine * right.sine, first.sine * right.cosine - first.cosine * right.sine};
}

template <class C>
DF_DEVICE_FUNCTION void MakeDiagonal(const Decomposition<C>& d) {
  double largest = 0;
  for (int64_t i = 0; i < d.size; ++i) largest = d.LargerDiagonal(largest, i, i);
  for (bool is_done = false; !is_done;) {
    is_done = true;
    for (int64_t p = 1; p < d.size; ++p) {
      for (int64_t q = 0; q < p; ++q) {
        const bool is_diagonal = d.IsDiagonal(p, q, 2 * kPrecision * largest);
        Barrier();  // all have looked
        if (is_diagonal) continue;
        is_done = false;
        if constexpr (kIsComplex<C>) {
          largest = MakeReal(d, p, q, largest);
          const bool is_made = d.IsDiagonal(p, q, kPrecision * largest);
          Barrier();
          if (is_made) continue;
        }
        Rotation<double> left;
        Rotation<double> right;
        FindRotations(d.work, p, q, left, right);
        Barrier();  // all have found them
        TurnRows(d.work, p, q, left);
        TurnColumns(d.u, d.u_rows, p, q, left);
        TurnColumns(d.work, d.size, p, q, Rotation<double>{right.cosine, -right.sine});
        TurnColumns(d.v, d.v_rows, p, q, Rotation<double>{right.cosine, -right.sine});
        largest = d.LargerDiagonal(largest, p, q);
      }
    }
  }
}

// Values are made positive, and fall.
template <class C>
DF_DEVICE_FUNCTION void SortValues(const Decomposition<C>& d, double scale, double* values) {
  for (int64_t i = 0; i < d.size; ++i) {
    const C value = d.work(i, i);
    const bool is_complex = std::abs(ImagOf(value)) > kTiny;
    const double size = is_complex ? SizeOf(value) : std::abs(RealOf(value));
    if (is_complex) {
      ScaleColumn(d.u, d.u_rows, i, value / C(size));
    } else if (RealOf(value) < 0) {
      ScaleColumn(d.u, d.u_rows, i, C(-1));
    }
    if (cuda::ThreadInBlock() == 0) values[i] = size * scale;
  }
  Barrier();
  for (int64_t i = 0; i < d.size; ++i) {
    int64_t largest = i;
    for (int64_t k = i + 1; k < d.size; ++k) {
      if (values[k] > values[largest]) largest = k;
    }
    const double value = values[largest];
    Barrier();  // all have found it
    if (value == 0) break;
    if (largest == i) continue;
    if (cuda::ThreadInBlock() == 0) {
      values[largest] = values[i];
      values[i] = value;
    }
    SwapColumns(d.u, d.u_rows, i, largest);
    SwapColumns(d.v, d.v_rows, i, largest);
  }
}

struct LargerSize {
  // NaN wins.
  DF_HOST_DEVICE double operator()(double a, double b) const { return b > a || b != b ? b : a; }
};

// The memory of a block: its matrix, or where that is wide its adjoint, [tall, small]; the square; factors; norms.
template <class C>
struct SvdMemory {
  C* tall;
  C* work;
  C* factors;
  double* numbers;  // [3, small]: values, then norms
};
template <class C>
struct SvdResults {
  C* s;
  C* u;  // null where vectors are not wanted
  C* v;
  int64_t u_columns;
  int64_t v_columns;
};

template <class C>
DF_DEVICE_KERNEL void FindSingularValues(SvdMemory<C> memory, SvdResults<C> results, int64_t m, int64_t n) {
  const int64_t small = m < n ? m : n;
  const int64_t rows = m < n ? n : m;
  const int64_t block = cuda::GlobalBlockId();
  const GpuMatrix<C> tall = cuda::MatrixOfBlock(memory.tall, rows, small);
  Decomposition<C> d = {cuda::MatrixOfBlock(memory.work, small, small), small, {nullptr, 0}, m, {nullptr, 0}, n};
  if (results.u != nullptr) {
    d.u = cuda::MatrixOfBlock(results.u, m, results.u_columns);
    d.v = cuda::MatrixOfBlock(results.v, n, results.v_columns);
  }
  double* const values = memory.numbers + block * 3 * small;
  double mine = 0;
  ForThreads(0, rows * small, [&](int64_t at) { mine = LargerSize()(mine, SizeOf(tall.data[at])); });
  const double largest = cuda::BlockReduce(mine, LargerSize());
  if (!std::isfinite(largest)) {
    const C nan(std::numeric_limits<double>::quiet_NaN());
    ForThreads(0, small, [&](int64_t i) { results.s[block * small + i] = nan; });
    if (results.u == nullptr) return;
    ForThreads(0, m * d.u.columns, [&](int64_t at) { d.u.data[at] = nan; });
    ForThreads(0, n * d.v.columns, [&](int64_t at) { d.v.data[at] = nan; });
    return;
  }
  const double scale = largest == 0 ? 1 : largest;
  ForThreads(0, rows * small, [&](int64_t at) { tall.data[at] = tall.data[at] / scale; });
  Barrier();
  if (m == n) {
    ForThreads(0, small * small, [&](int64_t at) { d.work.data[at] = tall.data[at]; });
    SetIdentity(d.u, m);
    SetIdentity(d.v, n);
    Barrier();
  } else {
    MakeSquare(tall, rows, m < n, d, memory.factors + block * small, {values + small, values + 2 * small});
  }
  MakeDiagonal(d);
  SortValues(d, scale, values);
  Barrier();
  ForThreads(0, small, [&](int64_t i) { results.s[block * small + i] = C(values[i]); });
}

struct Svd {
  template <class>
  class Kernel final : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup& setup)
        : vectors_(setup.attr<bool>("compute_uv")), full_(setup.attr<bool>("full_matrices")) {}

    Status Compute(OpContext& ctx) {
      const Tensor& x = ctx.input(0);
      DF_ASSIGN(const MatrixBatch a, MatricesOf(x));
      const int64_t small = std::min(a.rows, a.columns);
      const int64_t u_columns = full_ ? a.rows : small;
      const int64_t v_columns = full_ ? a.columns : small;
      DF_ASSIGN(const Shape s_shape, BatchShape(x, {small}));
      DF_ASSIGN(const Shape u_shape, BatchShape(x, {a.rows, u_columns}));
      DF_ASSIGN(const Shape v_shape, BatchShape(x, {a.columns, v_columns}));
      cuda::WideResult s;
      cuda::WideResult u;
      cuda::WideResult v;
      DF_TRY(s.Allocate(ctx, 0, s_shape));
      DF_TRY(u.Allocate(ctx, 1, vectors_ ? u_shape : Shape({0})));
      DF_TRY(v.Allocate(ctx, 2, vectors_ ? v_shape : Shape({0})));
      DF_ASSIGN(Tensor tall, cuda::WideMatrices(ctx, x, a, /*adjoint=*/a.rows < a.columns));
      DF_TRY(cuda::WithWideType(x.dtype(), [&](auto* type) -> Status {
        using C = std::remove_pointer_t<decltype(type)>;
        const int64_t numbers = a.count * small;
        DF_ASSIGN(Tensor work, ctx.AllocateTemp(tall.dtype(), Shape({numbers * (small + 1)})));
        DF_ASSIGN(Tensor values, ctx.AllocateTemp(DType::kDouble, Shape({3 * numbers})));
        C* const square = static_cast<C*>(work.raw());
        const SvdMemory<C> memory = {static_cast<C*>(tall.raw()), square, square + numbers * small,
                                     values.data<double>()};
        const SvdResults<C> results = {static_cast<C*>(s.raw()), vectors_ ? static_cast<C*>(u.raw()) : nullptr,
                                       static_cast<C*>(v.raw()), u_columns, v_columns};
        return cuda::LaunchWithBarriers(ctx, a.count, &FindSingularValues<C>, memory, results, a.rows, a.columns);
      }));
      DF_TRY(s.Round(ctx));
      DF_TRY(u.Round(ctx));
      return v.Round(ctx);
    }

   private:
    const bool vectors_;
    const bool full_;
  };
};

CUDA_KERNEL("Svd", Svd, float, double, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
