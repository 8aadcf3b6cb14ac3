// C[m,n] = A[m,k] B[k,n] by one thread, computed in registers straight from the operands: no set-up, no scratch.
// Every element is summed over k in order, so that its bits depend on neither m and n nor a split of them.
// For matrices that fit in the first caches; BlockedGemm is for larger ones.
#ifndef DFRUN_KERNELS_MATRIX_DIRECT_GEMM_H_
#define DFRUN_KERNELS_MATRIX_DIRECT_GEMM_H_

#include <cstdint>

#include "kernels/matrix/gemm_output.h"
#include "kernels/matrix/matrix_view.h"

namespace dfrun {

// Rows of B in one pass: a packed panel of 256 x 48 floats stays in the second-level cache.
inline constexpr int64_t kDirectDepth = 256;

// True where B's rows lie so near each other that they are read where they are, not copied.
template <class T>
bool HasNearRows(MatrixView<const T> b) {
  constexpr int64_t kFarBytes = 1024;
  return !b.transposed && b.stride * static_cast<int64_t>(sizeof(T)) <= kFarBytes;
}

// T is float, double, int32_t or int64_t (which wraps). m, n >= 0; k = 0 gives zeros. C is not transposed and overlaps
// neither operand. `output` is of kStore where k is more than kDirectDepth. Needs 50 KB of stack.
template <class T>
void DirectGemm(int64_t m, int64_t k, int64_t n, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
                const GemmOutput<T>& output = {});

extern template void DirectGemm(int64_t, int64_t, int64_t, MatrixView<const float>, MatrixView<const float>,
                                MatrixView<float>, const GemmOutput<float>&);
extern template void DirectGemm(int64_t, int64_t, int64_t, MatrixView<const double>, MatrixView<const double>,
                                MatrixView<double>, const GemmOutput<double>&);
extern template void DirectGemm(int64_t, int64_t, int64_t, MatrixView<const int32_t>, MatrixView<const int32_t>,
                                MatrixView<int32_t>, const GemmOutput<int32_t>&);
extern template void DirectGemm(int64_t, int64_t, int64_t, MatrixView<const int64_t>, MatrixView<const int64_t>,
                                MatrixView<int64_t>, const GemmOutput<int64_t>&);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_DIRECT_GEMM_H_
