// Products by a B that is packed whole before: once for many products, or for all rows of one.
#ifndef DFRUN_KERNELS_GEMM_PREPACKED_GEMM_H_
#define DFRUN_KERNELS_GEMM_PREPACKED_GEMM_H_

#include "kernels/gemm/epilogue.h"
#include "kernels/gemm/even_ranges.h"
#include "kernels/gemm/simd.h"
#include "src/base/integers.h"
#include "src/base/threads.h"

namespace dfrun {

// Elements of all panels of B: each has `depth` rows of whole vectors.
template <class T>
int64_t PrepackedElements(int64_t depth, int64_t columns) {
  return depth * RoundUp<int64_t>(columns, kLanes<T>);
}

// Packs B. Lanes without a column become zero, so that the same B gives the same bits. T: float, double.
template <class T>
void Prepack(MatrixView<const T> b, int64_t depth, int64_t columns, T* panels, ThreadPool& pool);

// C[m,n] = A[m,k] B[k,n] by one thread, for some of B's panels (ColumnPanels<T>(n)). C is not transposed and overlaps
// neither operand. Bits as UnpackedGemm()'s.
template <class T>
void PrepackedGemm(int64_t m, int64_t k, int64_t n, MatrixView<const T> a, const T* packed_b, Range panels,
                   MatrixView<T> c, const Epilogue<T>& epilogue);

// Computes all of C on the pool; k, n >= 1.
template <class T>
void PrepackedGemm(int64_t m, int64_t k, int64_t n, MatrixView<const T> a, const T* packed_b, MatrixView<T> c,
                   const Epilogue<T>& epilogue, ThreadPool& pool);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_GEMM_PREPACKED_GEMM_H_
