// Vectors of the widest registers the build targets, for the product kernels. GCC's and clang's vector extension where
// it suffices, intrinsics for what it lacks: fused multiply-add and masked access.
#ifndef DFRUN_KERNELS_GEMM_SIMD_H_
#define DFRUN_KERNELS_GEMM_SIMD_H_

#if defined(__AVX512F__) || defined(__FMA__)
#include <immintrin.h>
#endif

#include <bit>
#include <cstring>
#include <type_traits>

namespace dfrun {

#if defined(__AVX512F__)
inline constexpr int kVectorBytes = 64;
inline constexpr int kVectorRegisters = 32;
#else
inline constexpr int kVectorBytes = 32;
inline constexpr int kVectorRegisters = 16;
#endif

template <class T>
struct VecOf {
  typedef T Type __attribute__((vector_size(kVectorBytes)));  // NOLINT: `using` takes no such attribute on clang 14
  static constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(T));
};
template <class T>
using Vec = typename VecOf<T>::Type;
template <class T>
inline constexpr int kLanes = VecOf<T>::kLanes;

template <class T>
inline Vec<T> Broadcast(T value) {
  return value - Vec<T>{};  // x - 0 is x, also for -0
}

template <class T>
inline Vec<T> Load(const T* from) {
  Vec<T> v;
  std::memcpy(&v, from, sizeof(v));
  return v;
}
template <class T>
inline void Store(T* to, Vec<T> v) {
  std::memcpy(to, &v, sizeof(v));
}

// The first `count` lanes, 1 to kLanes; the others are zero. Touches no byte beyond them.
template <class T>
inline Vec<T> LoadFirst(const T* from, int count) {
  Vec<T> v{};
  std::memcpy(&v, from, static_cast<size_t>(count) * sizeof(T));
  return v;
}
template <class T>
inline void StoreFirst(T* to, Vec<T> v, int count) {
  std::memcpy(to, &v, static_cast<size_t>(count) * sizeof(T));
}

// A vector of as many floats as a vector has doubles.
typedef float HalfVector __attribute__((vector_size(kVectorBytes / 2)));  // NOLINT: as VecOf

inline Vec<double> Widen(HalfVector v) {
#if defined(__AVX512F__)
  return _mm512_cvtps_pd(v);  // GCC would convert half vectors
#else
  return __builtin_convertvector(v, Vec<double>);
#endif
}
inline HalfVector Narrow(Vec<double> v) {
#if defined(__AVX512F__)
  return _mm512_cvtpd_ps(v);
#else
  return __builtin_convertvector(v, HalfVector);
#endif
}

// a * b + c, rounded once for floating point where the machine can; integers wrap around.
template <class T>
inline Vec<T> MulAdd(Vec<T> a, Vec<T> b, Vec<T> c) {
  if constexpr (std::is_integral_v<T>) {
    using Wrapping = Vec<std::make_unsigned_t<T>>;
    return std::bit_cast<Vec<T>>(std::bit_cast<Wrapping>(a) * std::bit_cast<Wrapping>(b) + std::bit_cast<Wrapping>(c));
  } else {
    return a * b + c;
  }
}

// sum = a * b + sum, as MulAdd().
template <class T>
inline void AddProduct(Vec<T>& sum, Vec<T> a, Vec<T> b) {
  sum = MulAdd<T>(a, b, sum);
}

// a + b; integers wrap around.
template <class T>
inline Vec<T> Plus(Vec<T> a, Vec<T> b) {
  if constexpr (std::is_integral_v<T>) {
    using Wrapping = Vec<std::make_unsigned_t<T>>;
    return std::bit_cast<Vec<T>>(std::bit_cast<Wrapping>(a) + std::bit_cast<Wrapping>(b));
  } else {
    return a + b;
  }
}

#if defined(__AVX512F__)
template <>
inline Vec<float> LoadFirst<float>(const float* from, int count) {
  return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1U << count) - 1), from);
}
template <>
inline void StoreFirst<float>(float* to, Vec<float> v, int count) {
  _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1U << count) - 1), v);
}
template <>
inline Vec<double> LoadFirst<double>(const double* from, int count) {
  return _mm512_maskz_loadu_pd(static_cast<__mmask8>((1U << count) - 1), from);
}
template <>
inline void StoreFirst<double>(double* to, Vec<double> v, int count) {
  _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1U << count) - 1), v);
}
template <>
inline Vec<float> MulAdd<float>(Vec<float> a, Vec<float> b, Vec<float> c) {
  return _mm512_fmadd_ps(a, b, c);
}
template <>
inline Vec<double> MulAdd<double>(Vec<double> a, Vec<double> b, Vec<double> c) {
  return _mm512_fmadd_pd(a, b, c);
}
// AddProduct() is assembly, since GCC lets a sum take the register of a factor, and then saves sums to memory for want
// of registers where several steps follow each other.
template <>
inline void AddProduct<float>(Vec<float>& sum, Vec<float> a, Vec<float> b) {
  asm("vfmadd231ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
}
template <>
inline void AddProduct<double>(Vec<double>& sum, Vec<double> a, Vec<double> b) {
  asm("vfmadd231pd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
}
#elif defined(__FMA__)
template <>
inline Vec<float> MulAdd<float>(Vec<float> a, Vec<float> b, Vec<float> c) {
  return _mm256_fmadd_ps(a, b, c);
}
template <>
inline Vec<double> MulAdd<double>(Vec<double> a, Vec<double> b, Vec<double> c) {
  return _mm256_fmadd_pd(a, b, c);
}
#endif

}  // namespace dfrun

#endif  // DFRUN_KERNELS_GEMM_SIMD_H_
