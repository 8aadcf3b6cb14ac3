// Types of element-wise functors: the type they compute in and the type of their result.
#ifndef DFRUN_KERNELS_MATH_FUNCTIONS_ELEMENT_H_
#define DFRUN_KERNELS_MATH_FUNCTIONS_ELEMENT_H_

#include <complex>
#include <cstdint>
#include <type_traits>

#include "src/framework/values/dtype.h"

#ifdef __CUDACC__
#define DF_HOST_DEVICE __host__ __device__
#else
#define DF_HOST_DEVICE
#endif

// The iterations of the next loop are independent, though the output may be the very buffer of an input.
#ifdef __clang__
#define DF_INDEPENDENT_ITERATIONS _Pragma("clang loop vectorize(assume_safety)")
#else
#define DF_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#endif

namespace dfrun {

// 16-bit floating point is computed in float and rounded once.
template <class T>
struct ComputeTypeOf {
  using type = T;
};
template <>
struct ComputeTypeOf<bfloat16> {
  using type = float;
};
template <>
struct ComputeTypeOf<float16> {
  using type = float;
};
template <class T>
using ComputeType = typename ComputeTypeOf<T>::type;

// The element type of F's result on elements T: T itself, or another where F says so (bool for comparisons).
template <class F, class T, class... Args>
using ElementResult = std::conditional_t<std::is_same_v<std::invoke_result_t<F, Args...>, ComputeType<T>>, T,
                                         std::invoke_result_t<F, Args...>>;

template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<std::complex<T>> = true;

// Signed integers wrap around as TensorFlow's do: arithmetic on them goes through an unsigned type that is not
// promoted.
template <class T>
using WrappingType = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_FUNCTIONS_ELEMENT_H_
