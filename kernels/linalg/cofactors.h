// The cofactors of a square matrix, the derivatives of its determinant, written once for host and device.
//
// With pivots from all rows and columns p a q = l u, and the cofactors are the transpose of det(p q) q adj(u) l^-1 p,
// where of u, [v w; 0 d], the adjugate is det(v) [d v^-1, -v^-1 w; 0, 1]: the last pivot d divides nothing, and only of
// matrices of a rank below n - 1, which have no cofactors but zeros, another pivot is zero.
#ifndef DFRUN_KERNELS_LINALG_COFACTORS_H_
#define DFRUN_KERNELS_LINALG_COFACTORS_H_

#include <cstdint>
#include <limits>

#include "kernels/linalg/pivots.h"

// Marks a function that a team of threads calls together: a block of them on a device, one on a host.
#ifdef __CUDACC__
#define DF_TEAM_FUNCTION __device__
#else
#define DF_TEAM_FUNCTION
#endif

namespace dfrun {

// An entry of a matrix, for the largest; the first of equals.
struct MatrixEntry {
  double square;
  int64_t at;
};
struct LargerEntry {
  DF_HOST_DEVICE MatrixEntry operator()(MatrixEntry a, MatrixEntry b) const {
    return b.square > a.square || (b.square == a.square && b.at < a.at) ? b : a;
  }
};

// |value|^2, infinite for NaN.
template <class C>
DF_HOST_DEVICE double SizeOfEntry(C value) {
  double square = 0;
  if constexpr (kIsComplex<C>) {
    square = value.real() * value.real() + value.imag() * value.imag();
  } else {
    square = value * value;
  }
  return square == square ? square : std::numeric_limits<double>::infinity();
}

// Matrices are [n, n] in row-major order. Team: For(begin, end, f(i)) and Ranges(end, f(begin, end)), which share their
// numbers among the threads; Largest(entry), of all threads'; Barrier(); IsFirst().
template <class Team, class C>
struct Cofactors {
  C* a;              // is lost
  C* x;              // scratch
  int64_t* columns;  // scratch, n numbers
  C* result;
  int64_t n;

  DF_TEAM_FUNCTION void Run() const {
    SetUp();
    const bool is_odd = Eliminate();
    SolveLower();
    const bool has_any = HasAny();
    if (has_any) SolveUpper();
    Team::Barrier();
    const C product = Determinant()(Pivots<C>{a, n - 1, n + 1, is_odd});
    Team::Ranges(n, [&](int64_t begin, int64_t end) {
      for (int64_t k = 0; k < n; ++k) {
        for (int64_t j = begin; j < end; ++j) result[j * n + columns[k]] = has_any ? product * x[k * n + j] : C(0);
      }
    });
  }

 private:
  DF_TEAM_FUNCTION void SetUp() const {
    Team::For(0, n * n, [&](int64_t at) { x[at] = at / n == at % n ? C(1) : C(0); });
    Team::For(0, n, [&](int64_t k) { columns[k] = k; });
    Team::Barrier();
  }

  DF_TEAM_FUNCTION static void Swap(C& first, C& second) {
    const C kept = first;
    first = second;
    second = kept;
  }

  DF_TEAM_FUNCTION int64_t PivotEntry(int64_t k) const {
    MatrixEntry mine = {-1, n * n};
    Team::For(k, n, [&](int64_t i) {
      for (int64_t at = i * n + k; at < (i + 1) * n; ++at) mine = LargerEntry()(mine, {SizeOfEntry(a[at]), at});
    });
    return Team::Largest(mine).at;
  }

  // Brings the entry to row and column k; says whether the permutation is odd.
  DF_TEAM_FUNCTION bool Pivot(int64_t k, int64_t entry) const {
    const int64_t row = entry / n;
    const int64_t column = entry % n;
    if (row != k) {
      Team::For(0, n, [&](int64_t j) {
        Swap(a[k * n + j], a[row * n + j]);
        Swap(x[k * n + j], x[row * n + j]);
      });
      Team::Barrier();
    }
    if (column != k) {
      Team::For(0, n, [&](int64_t i) { Swap(a[i * n + k], a[i * n + column]); });
      if (Team::IsFirst()) {
        const int64_t kept = columns[k];
        columns[k] = columns[column];
        columns[column] = kept;
      }
      Team::Barrier();
    }
    return (row != k) != (column != k);
  }

  // a becomes its factors, l below the diagonal, u from it on.
  DF_TEAM_FUNCTION bool Eliminate() const {
    bool is_odd = false;
    for (int64_t k = 0; k + 1 < n; ++k) {
      is_odd = is_odd != Pivot(k, PivotEntry(k));
      const C pivot = a[k * n + k];
      if (pivot == C(0)) break;  // the rest is zeros
      Team::For(k + 1, n, [&](int64_t i) {
        C* const of_row = a + i * n;
        const C factor = of_row[k] / pivot;
        of_row[k] = factor;
        for (int64_t j = k + 1; j < n; ++j) of_row[j] -= factor * a[k * n + j];
      });
      Team::Barrier();
    }
    return is_odd;
  }

  // x = l^-1 x.
  DF_TEAM_FUNCTION void SolveLower() const {
    Team::Ranges(n, [&](int64_t begin, int64_t end) {
      for (int64_t i = 1; i < n; ++i) {
        for (int64_t m = 0; m < i; ++m) Subtract(i, m, begin, end);
      }
    });
  }

  DF_TEAM_FUNCTION bool HasAny() const {
    for (int64_t i = 0; i + 1 < n; ++i) {
      if (a[i * n + i] == C(0)) return false;
    }
    return true;
  }

  // x = adj(u) x / det(v).
  DF_TEAM_FUNCTION void SolveUpper() const {
    const int64_t last = n - 1;
    Team::Ranges(n, [&](int64_t begin, int64_t end) {
      for (int64_t i = last - 1; i >= 0; --i) {
        const C d = a[last * n + last];
        const C w = a[i * n + last];
        for (int64_t j = begin; j < end; ++j) x[i * n + j] = d * x[i * n + j] - w * x[last * n + j];
        for (int64_t m = i + 1; m < last; ++m) Subtract(i, m, begin, end);
        for (int64_t j = begin; j < end; ++j) x[i * n + j] = x[i * n + j] / a[i * n + i];
      }
    });
  }

  // Row m times a[i, m] from row i, of some columns of x.
  DF_TEAM_FUNCTION void Subtract(int64_t i, int64_t m, int64_t begin, int64_t end) const {
    const C factor = a[i * n + m];
    for (int64_t j = begin; j < end; ++j) x[i * n + j] -= factor * x[m * n + j];
  }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_LINALG_COFACTORS_H_
