// What becomes of a product: stored, taken into a matrix, or finished while it is in the cache.
#ifndef DFRUN_KERNELS_MATRIX_GEMM_OUTPUT_H_
#define DFRUN_KERNELS_MATRIX_GEMM_OUTPUT_H_

#include <cstdint>

#include "kernels/matrix/matrix_view.h"

namespace dfrun {

// What a product does with C.
enum class GemmInto {
  kStore,    // C = A B
  kAdd,      // C = C + A B, where A B is rounded to a sum of its own first
  kDescend,  // C = C - rate * A B, likewise, and rounded after each operation; of floating point only
};

// What a block of a stored product is followed by while it is in registers; GemmOutput says the same of all of C.
template <class T>
struct BlockFinish {
  const T* bias = nullptr;  // of the block's first column
  bool relu = false;
  const T* features = nullptr;  // of the block's first element
  int64_t features_stride = 0;
};

template <class T>
struct GemmOutput {
  GemmInto into = GemmInto::kStore;
  T rate{};  // of kDescend
  // Of kStore, with the bits of the ops:
  const T* bias = nullptr;            // BiasAdd: a column's is added to each of its elements; null: no bias
  bool relu = false;                  // Relu after the bias
  MatrixView<const T> features = {};  // ReluGrad: what is not above zero here becomes zero in C; null: no such

  // The same for the part of C that begins there.
  GemmOutput At(int64_t row, int64_t column) const {
    GemmOutput part = *this;
    if (bias != nullptr) part.bias += column;
    if (features.data != nullptr) part.features = features.At(row, column);
    return part;
  }
  // Of the block that begins there, whose sums are whole.
  BlockFinish<T> OfBlock(int64_t row, int64_t column) const {
    const GemmOutput part = At(row, column);
    return {part.bias, part.relu, part.features.data, part.features.stride};
  }
  // For sums that are not whole yet.
  GemmOutput Unfinished() const { return {.into = into, .rate = rate}; }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_GEMM_OUTPUT_H_
