#include "kernels/matrix/direct_gemm.h"

#include <algorithm>

#include "kernels/matrix/column_panels.h"
#include "kernels/matrix/gemm_block.h"
#include "kernels/matrix/panel_pack.h"
#include "src/base/integers.h"

namespace dfrun {
namespace {

// B is packed where reading its rows in place costs more: rows far apart, and enough rows of A to pay for the copy.
constexpr int64_t kRowsWorthPacking = 16;

template <class T>
bool NeedsPacking(int64_t m, MatrixView<const T> b) {
  return b.transposed || (m >= kRowsWorthPacking && !HasNearRows(b));
}

// Vectors of a panel of B that stays in the first-level cache; a copy has no more.
constexpr int64_t kPanelVectors = kDirectDepth * kMaxVectors;

// How wide a panel may be, in vectors. One that does not stay is better narrow where it is copied, and where C has no
// more rows than a narrow block.
int MaxPanelVectors(int64_t m, int64_t depth, bool pack) {
  const bool stays = depth * kMaxVectorsAtHand <= kPanelVectors;
  const bool is_one_block = m <= MaxRows(kMaxVectors) && m > MaxRows(kMaxVectorsAtHand);
  return stays || !(pack || is_one_block) ? kMaxVectorsAtHand : kMaxVectors;
}

// Integers multiply so slowly that reading by lanes costs them nothing, and saves half of this code.
template <class T, RowsOfB kRows>
constexpr RowsOfB kOrEdge = std::is_integral_v<T> ? RowsOfB::kEdge : kRows;

// All rows of C for one panel of B, in steps as even as they can be. `o`, of the first rows, is changed: a copy would
// take half of the time of the smallest products.
template <class T, RowsOfB kRows>
void PanelColumns(int64_t m, MatrixView<const T> a, int vectors, BlockOperands<T>& o) {
  o.a_stride = a.stride;
  o.transposed_a = a.transposed;
  const int64_t max_rows = MaxRows(vectors);
  for (int64_t i = 0, steps = CeilDiv(m, max_rows); steps > 0; --steps) {
    const int64_t rows = CeilDiv(m - i, steps);
    o.a = a.At(i, 0).data;
    RunGemmBlock<T, kRows>(rows, vectors, o);
    o.c += rows * o.c_stride;
    o.finish.features += rows * o.finish.features_stride;
    i += rows;
  }
}

// One pass over `depth` rows of B, panel by panel.
template <class T>
void Pass(int64_t m, int64_t depth, int64_t n, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
          bool continues, const GemmOutput<T>& output) {
  alignas(64) T packed[kPanelVectors * kLanes<T>];
  const bool pack = NeedsPacking(m, b);
  const ColumnPanels<T> panels(n, MaxPanelVectors(m, depth, pack));
  for (int64_t i = 0; i < panels.count(); ++i) {
    const ColumnPanel panel = panels.At(i);
    const auto [column, columns, vectors] = panel;
    BlockOperands<T> o{};
    o.depth = depth;
    o.last_columns = LastColumns<T>(panel);
    o.c = c.data + column;
    o.c_stride = c.stride;
    o.continues = continues;
    o.into = output.into;
    o.rate = output.rate;
    o.finish = output.OfBlock(0, column);
    if (pack) {
      PackPanel(b.At(0, column), depth, columns, packed, vectors);
      o.b = packed;
      o.b_stride = vectors * kLanes<T>;
      PanelColumns<T, kOrEdge<T, RowsOfB::kWhole>>(m, a, vectors, o);
    } else {
      o.b = b.data + column;
      o.b_stride = b.stride;
      if (o.last_columns == kLanes<T>) {
        PanelColumns<T, kOrEdge<T, RowsOfB::kInPlace>>(m, a, vectors, o);
      } else {
        PanelColumns<T, RowsOfB::kEdge>(m, a, vectors, o);
      }
    }
  }
}

}  // namespace

template <class T>
void DirectGemm(int64_t m, int64_t k, int64_t n, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
                const GemmOutput<T>& output) {
  if (m == 0 || n == 0) return;
  // The columns of a transpose are rows of memory, which are read from end to end; other rows side by side.
  const int64_t columns = b.transposed ? MaxPanelVectors(m, std::min(kDirectDepth, k), true) * int64_t{kLanes<T>} : n;
  for (int64_t j = 0; j < n; j += columns) {
    int64_t p = 0;
    do {
      const int64_t depth = std::min(kDirectDepth, k - p);
      const GemmOutput<T> part = p + depth == k ? output.At(0, j) : output.Unfinished();
      Pass(m, depth, std::min(columns, n - j), a.At(0, p), b.At(p, j), c.At(0, j), p > 0, part);
      p += depth;
    } while (p < k);
  }
}

template void RunGemmBlock<float, RowsOfB::kWhole>(int64_t, int, const BlockOperands<float>&);
template void RunGemmBlock<double, RowsOfB::kWhole>(int64_t, int, const BlockOperands<double>&);

template void DirectGemm(int64_t, int64_t, int64_t, MatrixView<const float>, MatrixView<const float>, MatrixView<float>,
                         const GemmOutput<float>&);
template void DirectGemm(int64_t, int64_t, int64_t, MatrixView<const double>, MatrixView<const double>,
                         MatrixView<double>, const GemmOutput<double>&);
template void DirectGemm(int64_t, int64_t, int64_t, MatrixView<const int32_t>, MatrixView<const int32_t>,
                         MatrixView<int32_t>, const GemmOutput<int32_t>&);
template void DirectGemm(int64_t, int64_t, int64_t, MatrixView<const int64_t>, MatrixView<const int64_t>,
                         MatrixView<int64_t>, const GemmOutput<int64_t>&);

}  // namespace dfrun
