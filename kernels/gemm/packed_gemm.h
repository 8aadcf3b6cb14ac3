// C[m,n] = A[m,k] B[k,n] by one thread, for large products: both operands are packed while other parts of them are
// multiplied, so that memory is not waited for. Bits as UnpackedGemm()'s.
#ifndef DFRUN_KERNELS_GEMM_PACKED_GEMM_H_
#define DFRUN_KERNELS_GEMM_PACKED_GEMM_H_

#include <cstdint>

#include "kernels/gemm/epilogue.h"
#include "kernels/gemm/packers.h"
#include "kernels/gemm/simd.h"
#include "src/base/integers.h"

namespace dfrun {

// Rows of A that are multiplied by all of B before the next: even parts of m that the cache has room for.
template <class T>
int64_t PackedRows(int64_t m, int64_t depth) {
  const int64_t cached = PackedBytesOfA() / static_cast<int64_t>(sizeof(T)) / depth;
  return CeilDiv(m, CeilDiv(m, std::max<int64_t>(cached, kBlockRows)));
}

// A product of one shape. T: float, double.
// Thread safety: any thread, several at once.
template <class T>
class PackedGemm {
 public:
  // m, k, n >= 1. The memory that `epilogue` points at outlives this.
  PackedGemm(int64_t m, int64_t k, int64_t n, const Epilogue<T>& epilogue);
  // Elements of scratch memory that Run() needs, at an address that vectors align to.
  int64_t scratch_elements() const;
  // C is not transposed and overlaps neither operand.
  void Run(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, T* scratch) const;
  // Runs on operands whose rows, those of A's transpose and of B, lie anywhere. Each is read from its given column on.
  void Run(RowTable<T> a, int64_t a_column, RowTable<T> b, int64_t b_column, MatrixView<T> c, T* scratch) const;

 private:
  class Operands;

  void RunParts(const Operands& operands, T* scratch) const;

  Epilogue<T> epilogue_;
  int64_t m_;
  int64_t k_;
  int64_t n_;
  int64_t depth_;  // elements of k in a pass
  int64_t rows_;   // rows of A that are multiplied by all of B before the next ones
};

extern template class PackedGemm<float>;
extern template class PackedGemm<double>;

}  // namespace dfrun

#endif  // DFRUN_KERNELS_GEMM_PACKED_GEMM_H_
