// The matrix products of recurrent cells.
#ifndef DFRUN_KERNELS_NN_CELL_PRODUCTS_H_
#define DFRUN_KERNELS_NN_CELL_PRODUCTS_H_

#include "kernels/gemm/parallel_gemm.h"
#include "src/framework/kernel.h"

namespace dfrun {

// c = a b; c overlaps neither. Small products stay on the calling thread.
inline Status MultiplyOfCell(OpContext& ctx, const GemmShape& s, const float* a, const float* b, float* c) {
  if (!PrefersUnpackedGemm(s)) return RunSerial(s, a, b, c, ctx.pool(), ctx.allocator());
  UnpackedGemm<float>(s.m, s.k, s.n, ViewA(s, a), ViewB(s, b), {c, s.n, false});
  return Status();
}

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
