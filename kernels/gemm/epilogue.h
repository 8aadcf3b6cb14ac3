// Epilogue: the operations that a product applies to its sums before they leave the registers.
#ifndef DFRUN_KERNELS_GEMM_EPILOGUE_H_
#define DFRUN_KERNELS_GEMM_EPILOGUE_H_

#include <cstdint>

#include "kernels/gemm/matrix_view.h"

namespace dfrun {

// C = alpha * (A B) + beta * C, then the bias, Relu and the gradient of Relu, where each is wanted. The product is
// rounded first and then the result of every operation: the bits are those of the ops one after the other. The caller
// owns the memory that the pointers refer to.
template <class T>
struct Epilogue {
  // Factors of floating-point products; other products have 1 and 0. If beta is zero, C is not read.
  T alpha{1};
  T beta{0};
  const T* bias = nullptr;            // BiasAdd: a column's is added to each of its elements; null: no bias
  bool relu = false;                  // Relu after the bias
  MatrixView<const T> features = {};  // ReluGrad: elements not above zero here become zero in C; null: no such

  // A product is then whole before it becomes C: in one pass over k.
  bool scales() const { return alpha != T{1} || beta != T{0}; }
  // The epilogue of the part of C that begins at the given element.
  Epilogue At(int64_t row, int64_t column) const {
    Epilogue part = *this;
    if (bias != nullptr) part.bias += column;
    if (features.data != nullptr) part.features = features.At(row, column);
    return part;
  }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_GEMM_EPILOGUE_H_
