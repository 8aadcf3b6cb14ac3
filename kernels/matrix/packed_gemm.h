// C[m,n] = A[m,k] B[k,n] by one thread, for large products: both operands are copied, in the order in which they are
// multiplied and while other parts of them are, so that memory is not waited for. Bits as DirectGemm's.
#ifndef DFRUN_KERNELS_MATRIX_PACKED_GEMM_H_
#define DFRUN_KERNELS_MATRIX_PACKED_GEMM_H_

#include <cstdint>

#include "kernels/matrix/gemm_output.h"
#include "kernels/matrix/matrix_view.h"
#include "kernels/matrix/operand_copy.h"
#include "kernels/matrix/simd.h"

namespace dfrun {

// True where the copies cost less than they save.
bool PrefersPackedGemm(int64_t m, int64_t k, int64_t n);

// What segments of k are multiples of.
template <class T>
inline constexpr int64_t kSegmentStep = kLanes<T>;

// The shape of a product and what follows from it. T: float, double. Thread safety: any thread, several at once.
template <class T>
class PackedGemm {
 public:
  using Element = T;

  // m, k, n >= 1. What `output` points at outlives this. With a segment, a multiple of kSegmentStep, A B is the sum of
  // the products over so many of k each, in order, every one rounded to a sum of its own first; `output` stores them.
  PackedGemm(int64_t m, int64_t k, int64_t n, const GemmOutput<T>& output, int64_t segment = 0);
  // Elements of scratch memory that Run() needs, at an address that vectors align to.
  int64_t scratch_elements() const;
  // B and C are not transposed; C overlaps neither operand.
  void Run(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, T* scratch) const;
  // The same with operands whose rows, of A's transpose and of B, lie anywhere: from these columns of theirs on.
  void Run(RowTable<T> a, int64_t a_column, RowTable<T> b, int64_t b_column, MatrixView<T> c, T* scratch) const;

 private:
  class Parts;

  void RunParts(const Parts& parts, T* scratch) const;

  GemmOutput<T> output_;
  int64_t m_;
  int64_t k_;
  int64_t n_;
  int64_t segment_;  // 0: none
  int64_t depth_;    // of a pass over k
  int64_t rows_;     // of A that are multiplied by all of B before the next
};

extern template class PackedGemm<float>;
extern template class PackedGemm<double>;

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_PACKED_GEMM_H_
