// C[m,n] = A[m,k] B[k,n] by one thread, for products whose operands do not fit in the first-level cache: they are read
// in an order that the caches like, and copied where their rows lie badly. Bits as DirectGemm's.
#ifndef DFRUN_KERNELS_MATRIX_BLOCKED_GEMM_H_
#define DFRUN_KERNELS_MATRIX_BLOCKED_GEMM_H_

#include <algorithm>
#include <cstdint>
#include <optional>

#include "kernels/matrix/block_sparse_gemm.h"
#include "kernels/matrix/gemm_output.h"
#include "kernels/matrix/matrix_view.h"

namespace dfrun {

// The shape of a product and what follows from it. T: as DirectGemm's. Thread safety: any thread, several at once.
template <class T>
class BlockedGemm {
 public:
  using Element = T;

  // m, k, n >= 1. What `output` points at outlives this.
  BlockedGemm(int64_t m, int64_t k, int64_t n, bool transposed_a, bool transposed_b, const GemmOutput<T>& output = {});
  // Elements of scratch memory that Run() needs, at an address that vectors align to.
  int64_t scratch_elements() const {
    return std::max(a_elements_ + b_elements_ + c_elements_, sparse_ ? sparse_->scratch_elements() : 0);
  }
  // By PackedGemm, which wants many columns.
  bool is_packed() const { return packed_; }
  // The views are as announced. C is not transposed and overlaps neither operand.
  void Run(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, T* scratch) const;

 private:
  struct Pass;

  static void RunPass(const Pass& pass);
  // Some rows of A by some columns of B; `first`: no rows before have been multiplied by these columns.
  void RunBlock(int64_t rows, int64_t columns, bool first, MatrixView<const T> a, MatrixView<const T> b,
                MatrixView<T> c, const GemmOutput<T>& output, T* scratch) const;
  void RunDirectly(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c) const;
  void RunSwapped(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, T* scratch) const;

  GemmOutput<T> output_;
  int64_t m_;  // of C, or of its transpose where swapped_
  int64_t k_;
  int64_t n_;
  std::optional<BlockSparseGemm<T>> sparse_;  // is tried first
  bool packed_ = false;                       // by PackedGemm: nothing below but elements is set
  bool direct_ = false;                       // by DirectGemm
  bool small_ = false;                        // the same if B's rows are near each other
  bool swapped_ = false;                      // C^T = B^T A^T is computed, so that B is read as it lies
  int64_t depth_ = 0;                         // of a pass over k
  int64_t rows_ = 0;                          // of A in a pass
  int64_t columns_;                           // of B in a pass
  bool copies_a_ = false;
  bool keeps_panels_ = false;  // of `columns_` columns, for all rows of A
  int64_t a_stride_ = 0;       // of the copy
  int64_t a_elements_ = 0;
  int64_t b_elements_ = 0;
  int64_t c_elements_ = 0;
};

extern template class BlockedGemm<float>;
extern template class BlockedGemm<double>;
extern template class BlockedGemm<int32_t>;
extern template class BlockedGemm<int64_t>;

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_BLOCKED_GEMM_H_
