// C[m,n] = A[m,k] B[k,n] by one thread, by the algorithm that is the fastest for the shape. Bits as UnpackedGemm()'s.
#ifndef DFRUN_KERNELS_GEMM_SERIAL_GEMM_H_
#define DFRUN_KERNELS_GEMM_SERIAL_GEMM_H_

#include <cstdint>
#include <type_traits>

#include "kernels/gemm/epilogue.h"

namespace dfrun {

enum class GemmAlgorithm {
  kUnpacked,    // UnpackedGemm(), some rows of A at a time
  kPrepacked,   // a transposed B is packed whole before its product
  kTransposed,  // C^T = B^T A^T with A^T prepacked, so that a transposed B is read as it lies
  kPacked,      // PackedGemm
};

// The shape of a product and what follows from it. T: as UnpackedGemm()'s.
// Thread safety: any thread, several at once.
template <class T>
class SerialGemm {
 public:
  // m, n >= 1. The memory that `epilogue` points at outlives this.
  SerialGemm(int64_t m, int64_t k, int64_t n, bool transposed_a, bool transposed_b, const Epilogue<T>& epilogue = {});
  GemmAlgorithm algorithm() const { return algorithm_; }
  // Elements of scratch memory that Run() needs, at an address that vectors align to.
  int64_t scratch_elements() const;
  // The views are as announced. C is not transposed and overlaps neither operand.
  void Run(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, T* scratch) const;

 private:
  GemmAlgorithm Choose(bool transposed_a, bool transposed_b) const;
  GemmAlgorithm ChooseOfTransposedB(bool transposed_a) const;
  void RunUnpacked(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c) const;
  void RunPrepacked(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
                    T* scratch) const requires std::is_floating_point_v<T>;
  void RunTransposed(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
                     T* scratch) const requires std::is_floating_point_v<T>;

  Epilogue<T> epilogue_;
  int64_t m_;
  int64_t k_;
  int64_t n_;
  GemmAlgorithm algorithm_;
};

extern template class SerialGemm<float>;
extern template class SerialGemm<double>;
extern template class SerialGemm<int32_t>;
extern template class SerialGemm<int64_t>;

}  // namespace dfrun

#endif  // DFRUN_KERNELS_GEMM_SERIAL_GEMM_H_
