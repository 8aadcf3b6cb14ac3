#include "kernels/gemm/prepacked_gemm.h"

#include <algorithm>
#include <vector>

#include "kernels/gemm/column_panels.h"
#include "kernels/gemm/gemm.h"
#include "kernels/gemm/pack.h"

namespace dfrun {
namespace {

// Rows of B into all panels: as they lie in memory, which takes 0.6 of the time of panel by panel.
template <class T>
void PackRows(MatrixView<const T> b, int64_t depth, const std::vector<ColumnPanel>& panels, Range rows, T* to) {
  for (int64_t p = rows.begin; p < rows.end(); ++p) {
    const T* from = b.At(p, 0).data;
    for (const ColumnPanel& panel : panels) {
      T* packed = to + depth * panel.column + p * panel.vectors * kLanes<T>;
      for (int v = 0; v + 1 < panel.vectors; ++v, packed += kLanes<T>, from += kLanes<T>) Store<T>(packed, Load(from));
      Store<T>(packed, LoadFirst(from, LastColumns<T>(panel)));
      from += LastColumns<T>(panel);
    }
  }
}

}  // namespace

template <class T>
void Prepack(MatrixView<const T> b, int64_t depth, int64_t columns, T* panels, ThreadPool& pool) {
  if (depth * columns == 0) return;
  const ColumnPanels<T> all(columns);
  if (b.transposed) {
    pool.RunBlocks(all.count(), [&](int64_t i) {
      const ColumnPanel panel = all.At(i);
      PackPanel(b.At(0, panel.column), depth, panel.columns, panels + depth * panel.column, panel.vectors);
    });
    return;
  }
  std::vector<ColumnPanel> list;
  for (int64_t i = 0; i < all.count(); ++i) list.push_back(all.At(i));
  constexpr int64_t kBlock = 65536;  // elements worth handing to another thread
  pool.ParallelFor(depth, kBlock / columns + 1, [&](int64_t begin, int64_t end) {
    PackRows(b, depth, list, {begin, end - begin}, panels);
  });
}

template <class T>
void PrepackedGemm(int64_t m, int64_t k, int64_t n, MatrixView<const T> a, const T* packed_b, MatrixView<T> c,
                   const Epilogue<T>& epilogue, ThreadPool& pool) {
  const int64_t panels = ColumnPanels<T>(n).count();
  const int64_t most = GemmShape{m, k, n}.work() / kPrepackedPartWork;
  const EvenRanges parts(panels, std::clamp<int64_t>(most, 1, std::min<int64_t>(pool.num_threads(), panels)));
  pool.RunBlocks(parts.count(), [&](int64_t i) { PrepackedGemm<T>(m, k, n, a, packed_b, parts.At(i), c, epilogue); });
}

template void Prepack(MatrixView<const float>, int64_t, int64_t, float*, ThreadPool&);
template void Prepack(MatrixView<const double>, int64_t, int64_t, double*, ThreadPool&);
template void PrepackedGemm(int64_t, int64_t, int64_t, MatrixView<const float>, const float*, MatrixView<float>,
                            const Epilogue<float>&, ThreadPool&);
template void PrepackedGemm(int64_t, int64_t, int64_t, MatrixView<const double>, const double*, MatrixView<double>,
                            const Epilogue<double>&, ThreadPool&);

}  // namespace dfrun
