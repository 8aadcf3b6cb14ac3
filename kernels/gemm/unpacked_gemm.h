// C[m,n] = A[m,k] B[k,n] by one thread, computed in registers straight from the operands: no set-up, no scratch memory.
// Every element is summed over k in order, so that its bits depend on neither m and n nor a split of them.
// For matrices that fit in the first caches, and for few rows, columns or steps over k.
#ifndef DFRUN_KERNELS_GEMM_UNPACKED_GEMM_H_
#define DFRUN_KERNELS_GEMM_UNPACKED_GEMM_H_

#include <cstdint>

#include "kernels/gemm/epilogue.h"

namespace dfrun {

// T is float, double, int32_t or int64_t (which wraps). m, n >= 0; k = 0 gives zeros. C is not transposed and overlaps
// neither operand. The epilogue scales nothing where k is more than kUnpackedDepth. Needs 50 KB of stack.
template <class T>
void UnpackedGemm(int64_t m, int64_t k, int64_t n, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
                  const Epilogue<T>& epilogue = {});

}  // namespace dfrun

#endif  // DFRUN_KERNELS_GEMM_UNPACKED_GEMM_H_
