// Complex numbers in functions of a card, of which std::complex has none: the toolkit's, that lie in memory as std's
// do. A kernel of a card that is registered for complex numbers includes this.
#ifndef DFRUN_KERNELS_MATH_COMPLEX_CUDA_H_
#define DFRUN_KERNELS_MATH_COMPLEX_CUDA_H_

#include <complex>
#include <cuda/std/complex>

#include "kernels/math/element.h"
#include "kernels/math/element_cuda.h"
#include "kernels/math/reducers.h"

namespace dfrun {
namespace cuda {

template <class T>
using Complex = ::cuda::std::complex<T>;

template <class T>
struct CardTypeOf<std::complex<T>> {
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

#endif  // DFRUN_KERNELS_MATH_COMPLEX_CUDA_H_
