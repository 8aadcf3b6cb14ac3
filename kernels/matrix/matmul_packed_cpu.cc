// A matrix that many products of few rows multiply by is put in order once: each product would copy it again, which few
// rows do not hide. Bits as MatMul's, since an element is summed in the order of k either way.
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "kernels/device/cpu_kernel.h"
#include "kernels/matrix/column_panels.h"
#include "kernels/matrix/fused_ops.h"
#include "kernels/matrix/gemm_plan.h"
#include "kernels/matrix/panel_pack.h"
#include "src/base/stream_store.h"
#include "src/framework/kernel_of.h"

namespace dfrun {
namespace {

// The least work of a thread's part of a product: it takes some 40 us.
constexpr int64_t kLeastPartWork = int64_t{4} << 20;

// Panel by panel, each with `depth` rows of whole vectors.
template <class T>
int64_t PanelElements(int64_t depth, int64_t columns) {
  return depth * RoundUp<int64_t>(columns, kLanes<T>);
}

template <class T>
class PackWeightsKernel final : public Kernel {
 public:
  explicit PackWeightsKernel(KernelSetup& setup) : transpose_b_(setup.attr<bool>("transpose_b")) {}
  bool IsExpensive() const override { return true; }

  Status Compute(OpContext& ctx) {
    const Tensor& b = ctx.input(0);
    if (b.shape().rank() != 2) return InvalidArgument("a tensor of shape ", b.shape(), " is no matrix");
    const int64_t depth = b.shape().dim(transpose_b_ ? 1 : 0);
    const int64_t columns = b.shape().dim(transpose_b_ ? 0 : 1);
    Tensor* panels = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape({PanelElements<T>(depth, columns)}), &panels));
    const MatrixView<const T> view{b.data<T>(), b.shape().dim(1), transpose_b_};
    T* const to = panels->data<T>();
    if (transpose_b_) {
      const ColumnPanels<T> all(columns);
      ctx.pool().RunBlocks(depth == 0 ? 0 : all.count(),
                           [&](int64_t i) { PackTransposed(view, depth, all.At(i), to); });
    } else {
      constexpr int64_t kBlock = 65536;  // elements worth handing to another thread
      ctx.pool().ParallelFor(depth, kBlock / std::max<int64_t>(1, columns) + 1,
                             [&](int64_t begin, int64_t end) { PackRows(view, depth, columns, begin, end, to); });
    }
    return Status();
  }

 private:
  static void PackTransposed(MatrixView<const T> b, int64_t depth, const ColumnPanel& panel, T* to) {
    T* const packed = to + depth * panel.column;
    PackPanel(b.At(0, panel.column), depth, panel.columns, packed, panel.vectors);
    // Lanes without a column, so that the node gives the same bits every time.
    const int64_t stride = int64_t{panel.vectors} * kLanes<T>;
    if (panel.columns == stride) return;
    for (int64_t p = 0; p < depth; ++p) std::fill(packed + p * stride + panel.columns, packed + (p + 1) * stride, T{0});
  }

  // Rows [begin, end) of b into all panels: as they lie in memory, which takes 0.6 of the time of panel by panel.
  static void PackRows(MatrixView<const T> b, int64_t depth, int64_t columns, int64_t begin, int64_t end, T* to) {
    const ColumnPanels<T> all(columns);
    std::vector<ColumnPanel> panels;
    for (int64_t i = 0; i < all.count(); ++i) panels.push_back(all.At(i));
    for (int64_t p = begin; p < end; ++p) {
      const T* from = b.At(p, 0).data;
      for (const ColumnPanel& panel : panels) {
        T* packed = to + depth * panel.column + p * panel.vectors * kLanes<T>;
        for (int v = 0; v + 1 < panel.vectors; ++v, packed += kLanes<T>, from += kLanes<T>)
          Store<T>(packed, Load(from));
        Store<T>(packed, LoadFirst(from, LastColumns<T>(panel)));
        from += LastColumns<T>(panel);
      }
    }
  }

  const bool transpose_b_;
};

template <class T>
class MatMulPackedKernel final : public Kernel {
 public:
  explicit MatMulPackedKernel(KernelSetup& setup) : columns_(setup.attr<int64_t>("columns")), finish_(setup) {}
  bool IsExpensive() const override { return true; }

  Status Compute(OpContext& ctx) {
    const Tensor& a = ctx.input(0);
    const Tensor& panels = ctx.input(1);
    if (a.shape().rank() != 2) return InvalidArgument("a tensor of shape ", a.shape(), " is no matrix");
    const int64_t rows = a.shape().dim(0);
    const int64_t depth = a.shape().dim(1);
    if ((depth > 0 && columns_ > panels.num_elements()) || panels.num_elements() != PanelElements<T>(depth, columns_)) {
      return InvalidArgument("cannot multiply ", a.shape(), " by panels of ", panels.num_elements(),
                             " elements, which ", columns_, " columns of ", depth, " rows do not take");
    }
    DF_ASSIGN(const GemmOutput<T> output, finish_.OutputOf(ctx, rows, columns_));
    DF_ASSIGN(const Shape shape, Shape::Create(std::array{rows, columns_}));
    Tensor* product = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &product));
    if (rows == 0) return Status();
    const MatrixView<T> c{product->data<T>(), columns_, false};
    const ColumnPanels<T> all(columns_);
    const int64_t most = GemmShape{rows, depth, columns_}.work() / kLeastPartWork;
    const int64_t parts = std::clamp<int64_t>(most, 1, std::min<int64_t>(ctx.pool().num_threads(), all.count()));
    ctx.pool().RunBlocks(parts, [&](int64_t part) {
      const int64_t begin = part * all.count() / parts;
      const int64_t end = (part + 1) * all.count() / parts;
      for (int64_t i = begin; i < end; ++i) {
        Multiply(a.data<T>(), rows, depth, panels.data<T>(), all.At(i), output, c);
      }
    });
    return Status();
  }

 private:
  // The columns of C that a panel gives.
  static void Multiply(const T* a, int64_t rows, int64_t depth, const T* panels, const ColumnPanel& panel,
                       const GemmOutput<T>& output, MatrixView<T> c) {
    BlockOperands<T> o{};
    o.a_stride = depth;
    o.b = panels + depth * panel.column;
    o.depth = depth;
    o.last_columns = LastColumns<T>(panel);
    o.c_stride = c.stride;
    o.into = output.into;
    const int64_t tiles = CeilDiv<int64_t>(rows, MaxRows(panel.vectors));
    for (int64_t tile = 0; tile < tiles; ++tile) {
      const int64_t row = tile * rows / tiles;
      const int64_t tile_rows = (tile + 1) * rows / tiles - row;
      o.a = a + row * depth;
      o.c = c.At(row, panel.column).data;
      o.finish = output.OfBlock(row, panel.column);
      RunGemmBlock<T, RowsOfB::kWhole>(tile_rows, panel.vectors, o);
    }
  }

  const int64_t columns_;
  const FusedOps<T> finish_;
};

CPU_KERNEL("_PackWeights", KernelOf<PackWeightsKernel>, float, double);
CPU_KERNEL("_MatMulPacked", KernelOf<MatMulPackedKernel>, float, double);

}  // namespace
}  // namespace dfrun
