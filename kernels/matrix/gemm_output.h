// What becomes of a product: stored, taken into a matrix, or finished while it is in the cache.
#ifndef DFRUN_KERNELS_MATRIX_GEMM_OUTPUT_H_
#define DFRUN_KERNELS_MATRIX_GEMM_OUTPUT_H_

#include <cstdint>

#include "kernels/math/element.h"
#include "kernels/math/functors.h"
#include "kernels/matrix/direct_gemm.h"
#include "kernels/nn/activations.h"

namespace dfrun {

// What a product does with C.
enum class GemmInto {
  kStore,    // C = A B
  kAdd,      // C = C + A B, where A B is rounded to a sum of its own first
  kDescend,  // C = C - rate * A B, likewise, and rounded after each operation; of floating point only
};

template <class T>
struct GemmOutput {
  GemmInto into = GemmInto::kStore;
  T rate{};                 // of kDescend
  const T* bias = nullptr;  // of kStore: a column's is added to each of its elements; null: nothing more is done
  bool relu = false;        // with a bias: then what is below zero becomes zero

  // The same for the part of C that begins at `column`.
  GemmOutput FromColumn(int64_t column) const { return {into, rate, bias == nullptr ? nullptr : bias + column, relu}; }

  // Bias and Relu for elements of C, where there is a bias; their bits are BiasAdd's and Relu's.
  void Finish(MatrixView<T> c, int64_t rows, int64_t columns) const {
    if (bias == nullptr) return;
    for (int64_t i = 0; i < rows; ++i) {
      T* const row = c.data + i * c.stride;
      if (relu) {
        Change(row, columns, [](T x) { return fn::Relu()(x); });
      } else {
        Change(row, columns, [](T x) { return x; });
      }
    }
  }

 private:
  template <class Activation>
  void Change(T* row, int64_t columns, Activation activation) const {
    DF_INDEPENDENT_ITERATIONS
    for (int64_t j = 0; j < columns; ++j) row[j] = activation(fn::Add()(row[j], bias[j]));
  }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_GEMM_OUTPUT_H_
