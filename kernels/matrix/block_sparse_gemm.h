// C[m,n] = A[m,k] B[k,n] by one thread, for large products of an A with many zeros, such as the output of Relu and what
// comes back through it: they are not multiplied where whole tiles' rows have them. Bits as DirectGemm's, but that a
// zero's sign may differ whose products are all too small for the type; NaN for zero times infinity too.
#ifndef DFRUN_KERNELS_MATRIX_BLOCK_SPARSE_GEMM_H_
#define DFRUN_KERNELS_MATRIX_BLOCK_SPARSE_GEMM_H_

#include <cstdint>

#include "kernels/matrix/block_sparse_tiles.h"
#include "kernels/matrix/gemm_output.h"
#include "kernels/matrix/matrix_view.h"

namespace dfrun {

// The shape of a product and what follows from it. T: float, double. Thread safety: any thread, several at once.
template <class T>
class BlockSparseGemm {
 public:
  // m, k, n >= 1. What `output` points at outlives this.
  BlockSparseGemm(int64_t m, int64_t k, int64_t n, bool transposed_a, bool transposed_b, const GemmOutput<T>& output);
  // False of shapes with which leaving out zeros costs more than it can save: no other member is called then.
  bool is_worth_trying() const { return is_worth_trying_; }
  // Elements of scratch memory that Run() needs, at an address that vectors align to.
  int64_t scratch_elements() const { return 2 * panel_elements_ + tiles_.elements(); }
  // False, with C as it was, where A has too few zeros. The views are as announced; C is not transposed and overlaps
  // neither operand.
  bool Run(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, T* scratch) const;

 private:
  class Walk;

  bool HasManyZeros(MatrixView<const T> a) const;

  GemmOutput<T> output_;
  int64_t m_;
  int64_t k_;
  int64_t n_;
  bool is_worth_trying_;
  int64_t depth_;  // of a pass over k
  int64_t rows_;   // of A that are multiplied by all of B before the next
  int64_t panel_elements_;
  BlockSparseTiles<T> tiles_;
};

extern template class BlockSparseGemm<float>;
extern template class BlockSparseGemm<double>;

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_BLOCK_SPARSE_GEMM_H_
