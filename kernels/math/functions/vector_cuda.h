// ElementVector: the elements that a GPU thread reads or writes at once. Memory is fastest with 16 bytes.
#ifndef DFRUN_KERNELS_MATH_FUNCTIONS_VECTOR_CUDA_H_
#define DFRUN_KERNELS_MATH_FUNCTIONS_VECTOR_CUDA_H_

#include <cstddef>
#include <cstdint>

#include "kernels/device/cuda/runtime/block.h"

namespace dfrun::cuda {

inline constexpr size_t kVectorBytes = 16;

template <class T, int kCount>
struct alignas(sizeof(T) * kCount) ElementVector {
  T at[kCount];
};

// Elements of a thread, of which the largest is of `bytes`.
constexpr int WidthOf(size_t bytes) {
  return bytes >= kVectorBytes ? 1 : static_cast<int>(kVectorBytes / bytes);
}

inline bool IsVectorAligned(const void* data) {
  return reinterpret_cast<uintptr_t>(data) % kVectorBytes == 0;
}

template <int kCount, class T>
DF_DEVICE_FUNCTION ElementVector<T, kCount> LoadVector(const T* from) {
  return *reinterpret_cast<const ElementVector<T, kCount>*>(from);
}
template <int kCount, class T>
DF_DEVICE_FUNCTION void StoreVector(T* to, const ElementVector<T, kCount>& vector) {
  *reinterpret_cast<ElementVector<T, kCount>*>(to) = vector;
}

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_MATH_FUNCTIONS_VECTOR_CUDA_H_
