#include "kernels/matrix/direct_gemm.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/matrix/panel_pack.h"
#include "kernels/matrix/simd.h"

namespace dfrun {
namespace {

// Widest block of C in registers, in vectors. Three leave the fewest loads a product.
constexpr int kMaxVectors = 3;
// Rows of such a block: accumulators, the row of B and one element of A must fit in the registers.
constexpr int MaxRows(int vectors) {
  return std::min((kVectorRegisters - vectors - 1) / vectors, 14);
}
// Rows of B in one pass: a packed panel of 256 x 48 floats stays in the second-level cache.
constexpr int64_t kPassDepth = 256;
// B is packed where reading its rows in place costs more: rows far apart, and enough rows of A to pay for the copy.
constexpr int64_t kFarStrideBytes = 1024;
constexpr int64_t kRowsWorthPacking = 16;

// One panel of B: `depth` rows of up to kMaxVectors vectors, and the columns of the last vector that count.
template <class T>
struct Panel {
  const T* data;
  int64_t stride;
  int64_t depth;
  int last_columns;
};

template <class T>
using BlockFn = void (*)(const T* a, int64_t row_step, int64_t k_step, const Panel<T>& b, T* c, int64_t c_stride,
                         bool add);

// Rows x Vectors of C. `add`: onto what C holds, from the pass before.
template <class T, int Rows, int Vectors>
void Block(const T* a, int64_t row_step, int64_t k_step, const Panel<T>& b, T* c, int64_t c_stride, bool add) {
  constexpr int kLast = Vectors - 1;
  Vec<T> sum[Rows][Vectors];
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; ++j) sum[i][j] = Vec<T>{};
  }
  if (add) {
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < kLast; ++j) sum[i][j] = Load(c + i * c_stride + j * kLanes<T>);
      sum[i][kLast] = LoadFirst(c + i * c_stride + kLast * kLanes<T>, b.last_columns);
    }
  }
  const T* row = b.data;
  for (int64_t p = 0; p < b.depth; ++p, row += b.stride, a += k_step) {
    Vec<T> values[Vectors];
#pragma GCC unroll 4
    for (int j = 0; j < kLast; ++j) values[j] = Load(row + j * kLanes<T>);
    values[kLast] = LoadFirst(row + kLast * kLanes<T>, b.last_columns);
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i) {
      const Vec<T> factor = Broadcast<T>(a[i * row_step]);
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; ++j) sum[i][j] = MulAdd<T>(factor, values[j], sum[i][j]);
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < kLast; ++j) Store<T>(c + i * c_stride + j * kLanes<T>, sum[i][j]);
    StoreFirst<T>(c + i * c_stride + kLast * kLanes<T>, sum[i][kLast], b.last_columns);
  }
}

template <class T, int Vectors, int... Rows>
constexpr std::array<BlockFn<T>, sizeof...(Rows)> BlocksByRows(std::integer_sequence<int, Rows...>) {
  return {&Block<T, Rows + 1, Vectors>...};
}

// All rows of C for one panel, in steps as even as they can be.
template <class T, int Vectors>
void PanelColumns(int64_t m, MatrixView<const T> a, const Panel<T>& b, T* c, int64_t c_stride, bool add) {
  constexpr auto kBlocks = BlocksByRows<T, Vectors>(std::make_integer_sequence<int, MaxRows(Vectors)>());
  const int64_t row_step = a.transposed ? 1 : a.stride;
  const int64_t k_step = a.transposed ? a.stride : 1;
  for (int64_t i = 0, steps = (m + MaxRows(Vectors) - 1) / MaxRows(Vectors); steps > 0; --steps) {
    const int64_t rows = (m - i + steps - 1) / steps;
    kBlocks[rows - 1](a.data + i * row_step, row_step, k_step, b, c + i * c_stride, c_stride, add);
    i += rows;
  }
}

template <class T>
void Columns(int vectors, int64_t m, MatrixView<const T> a, const Panel<T>& b, T* c, int64_t c_stride, bool add) {
  switch (vectors) {
    case 1:
      return PanelColumns<T, 1>(m, a, b, c, c_stride, add);
    case 2:
      return PanelColumns<T, 2>(m, a, b, c, c_stride, add);
    default:
      return PanelColumns<T, kMaxVectors>(m, a, b, c, c_stride, add);
  }
}

template <class T>
bool NeedsPacking(int64_t m, MatrixView<const T> b) {
  return b.transposed || (m >= kRowsWorthPacking && b.stride * static_cast<int64_t>(sizeof(T)) > kFarStrideBytes);
}

// One pass over `depth` rows of B, panel by panel.
template <class T>
void Pass(int64_t m, int64_t depth, int64_t n, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
          bool add) {
  constexpr int64_t kPanelColumns = kMaxVectors * kLanes<T>;
  alignas(64) T packed[kPassDepth * kPanelColumns];
  const bool pack = NeedsPacking(m, b);
  const int64_t all_vectors = (n + kLanes<T> - 1) / kLanes<T>;
  int64_t vectors_left = all_vectors;
  int64_t column = 0;
  for (int64_t panels = (all_vectors + kMaxVectors - 1) / kMaxVectors; panels > 0; --panels) {
    const int vectors = static_cast<int>((vectors_left + panels - 1) / panels);
    const int64_t columns = std::min<int64_t>(vectors * kLanes<T>, n - column);
    Panel<T> panel{b.data + column, b.stride, depth, static_cast<int>(columns - (vectors - 1) * kLanes<T>)};
    if (pack) {
      PackPanel(b.At(0, column), depth, columns, packed, vectors);
      panel.data = packed;
      panel.stride = vectors * kLanes<T>;
    }
    Columns(vectors, m, a, panel, c.data + column, c.stride, add);
    column += columns;
    vectors_left -= vectors;
  }
}

}  // namespace

template <class T>
void DirectGemm(int64_t m, int64_t k, int64_t n, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c) {
  if (m == 0 || n == 0) return;
  int64_t p = 0;
  do {
    const int64_t depth = std::min(kPassDepth, k - p);
    Pass(m, depth, n, a.At(0, p), b.At(p, 0), c, p > 0);
    p += depth;
  } while (p < k);
}

template void DirectGemm(int64_t, int64_t, int64_t, MatrixView<const float>, MatrixView<const float>,
                         MatrixView<float>);
template void DirectGemm(int64_t, int64_t, int64_t, MatrixView<const double>, MatrixView<const double>,
                         MatrixView<double>);
template void DirectGemm(int64_t, int64_t, int64_t, MatrixView<const int32_t>, MatrixView<const int32_t>,
                         MatrixView<int32_t>);
template void DirectGemm(int64_t, int64_t, int64_t, MatrixView<const int64_t>, MatrixView<const int64_t>,
                         MatrixView<int64_t>);

}  // namespace dfrun
