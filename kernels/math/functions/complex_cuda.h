// Complex numbers in GPU functions, which std::complex does not support: the toolkit's, which have the same layout in
// memory. A GPU kernel that is registered for complex numbers includes this.
#ifndef DFRUN_KERNELS_MATH_FUNCTIONS_COMPLEX_CUDA_H_
#define DFRUN_KERNELS_MATH_FUNCTIONS_COMPLEX_CUDA_H_

#include <complex>
#include <cuda/std/complex>

#include "kernels/math/functions/element.h"
#include "kernels/math/functions/element_cuda.h"
#include "kernels/math/functions/reducers.h"

namespace dfrun {
namespace cuda {

template <class T>
using Complex = ::cuda::std::complex<T>;

template <class T>
struct GpuTypeOf<std::complex<T>> {
  using type = Complex<T>;
};

}  // namespace cuda

template <class T>
inline constexpr bool kIsComplex<cuda::Complex<T>> = true;

template <>
struct red::WideOf<cuda::Complex<float>> {
  using type = cuda::Complex<double>;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_FUNCTIONS_COMPLEX_CUDA_H_
