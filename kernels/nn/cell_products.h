// The matrix products of recurrent cells.
#ifndef DFRUN_KERNELS_NN_CELL_PRODUCTS_H_
#define DFRUN_KERNELS_NN_CELL_PRODUCTS_H_

#include "kernels/device/shape_cache.h"
#include "kernels/matrix/gemm_plan.h"
#include "src/framework/kernel.h"

namespace dfrun {

// Thread safety: from any thread. Plans for large products are kept.
class CellProducts {
 public:
  // c = a b; c overlaps neither.
  Status Multiply(OpContext& ctx, const GemmShape& s, const float* a, const float* b, float* c) {
    if (PrefersDirectGemm(s)) {
      DirectGemm<float>(s.m, s.k, s.n, ViewA(s, a), ViewB(s, b), {c, s.n, false});
      return Status();
    }
    DF_ASSIGN(const auto plan, plans_.Get(s, [&] { return Gemm<float>::Create(s); }));
    return plan->Run(a, b, c, ctx.pool(), ctx.allocator());
  }

 private:
  ShapeCache<GemmShape, Gemm<float>> plans_;
};

// a (the first `first_rows` rows), then b, as one matrix of rows of one width.
struct StackedRows {
  const float* first;
  int64_t first_rows;
  const float* rest;
  const float* Row(int64_t row, int64_t width) const {
    return row < first_rows ? first + row * width : rest + (row - first_rows) * width;
  }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_CELL_PRODUCTS_H_
