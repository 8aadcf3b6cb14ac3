// GpuMatrix and its helpers: matrices in GPU functions that give each block of threads one matrix.
#ifndef DFRUN_KERNELS_LINALG_MATRIX_CUDA_H_
#define DFRUN_KERNELS_LINALG_MATRIX_CUDA_H_

#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/math/functions/complex_cuda.h"
#include "kernels/math/functions/element.h"

namespace dfrun::cuda {

// A matrix in row-major order.
template <class C>
struct GpuMatrix {
  C* data;
  int64_t columns;
  DF_HOST_DEVICE C& operator()(int64_t row, int64_t column) const { return data[row * columns + column]; }
};

// The matrix of this block among those of [blocks, rows, columns].
template <class C>
DF_DEVICE_FUNCTION GpuMatrix<C> MatrixOfBlock(C* matrices, int64_t rows, int64_t columns) {
  return {matrices + GlobalBlockId() * rows * columns, columns};
}

// Calls f(i) for the numbers of [begin, end), which the threads of the block share.
template <class F>
DF_DEVICE_FUNCTION void ForThreads(int64_t begin, int64_t end, const F& f) {
  for (int64_t i = begin + ThreadInBlock(); i < end; i += kBlockThreads) f(i);
}

template <class C>
DF_HOST_DEVICE C ConjugateOf(C x) {
  if constexpr (kIsComplex<C>) {
    return conj(x);
  } else {
    return x;
  }
}
template <class C>
DF_HOST_DEVICE auto RealOf(C x) {
  if constexpr (kIsComplex<C>) {
    return x.real();
  } else {
    return x;
  }
}
// |x|^2
template <class C>
DF_HOST_DEVICE auto SquareOf(C x) {
  if constexpr (kIsComplex<C>) {
    return x.real() * x.real() + x.imag() * x.imag();
  } else {
    return x * x;
  }
}

template <class C>
using RealPart = decltype(RealOf(C()));

// Calls f with a null pointer to the type in which elements of `dtype` are computed, double or complex.
template <class F>
Status WithWideType(DType dtype, const F& f) {
  if (dtype == DType::kComplex64 || dtype == DType::kComplex128) return f(static_cast<Complex<double>*>(nullptr));
  return f(static_cast<double*>(nullptr));
}

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_LINALG_MATRIX_CUDA_H_
