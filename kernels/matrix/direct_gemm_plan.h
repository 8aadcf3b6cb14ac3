// DirectGemm over the pool, tile by tile.
#ifndef DFRUN_KERNELS_MATRIX_DIRECT_GEMM_PLAN_H_
#define DFRUN_KERNELS_MATRIX_DIRECT_GEMM_PLAN_H_

#include "kernels/matrix/direct_gemm.h"
#include "kernels/matrix/gemm_tiles.h"

namespace dfrun {

// The operands of a dense product as views.
template <class T>
MatrixView<const T> ViewA(const GemmShape& s, const T* a) {
  return {a, s.transpose_a ? s.m : s.k, s.transpose_a};
}
template <class T>
MatrixView<const T> ViewB(const GemmShape& s, const T* b) {
  return {b, s.transpose_b ? s.k : s.n, s.transpose_b};
}

template <class T>
class DirectGemmPlan final : public Gemm<T> {
 public:
  explicit DirectGemmPlan(const GemmShape& shape) : shape_(shape), tiles_(shape) {}

  Status Run(const T* a, const T* b, T* c, ThreadPool& pool, Allocator&) const override {
    auto run_tile = [&](int64_t i) {
      const GemmTile tile(shape_, tiles_, i);
      DirectGemm<T>(tile.rows, shape_.k, tile.columns, ViewA(shape_, a).At(tile.row, 0),
                    ViewB(shape_, b).At(0, tile.column), {c + tile.row * shape_.n + tile.column, shape_.n, false});
    };
    if (tiles_.count() == 1) {
      run_tile(0);
    } else {
      pool.RunBlocks(tiles_.count(), run_tile);
    }
    return Status();
  }

 private:
  const GemmShape shape_;
  const GemmTiles tiles_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_DIRECT_GEMM_PLAN_H_
