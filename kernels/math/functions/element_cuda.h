// GpuType: the type as which device code computes elements in memory.
#ifndef DFRUN_KERNELS_MATH_FUNCTIONS_ELEMENT_CUDA_H_
#define DFRUN_KERNELS_MATH_FUNCTIONS_ELEMENT_CUDA_H_

namespace dfrun::cuda {

// Elements T themselves, but for complex numbers, of which complex_cuda.h has another.
template <class T>
struct GpuTypeOf {
  using type = T;
};
template <class T>
using GpuType = typename GpuTypeOf<T>::type;

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_MATH_FUNCTIONS_ELEMENT_CUDA_H_
