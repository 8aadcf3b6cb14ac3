// 16-bit elements as float and back, for kernels that compute in float.
#ifndef DFRUN_KERNELS_MATH_FUNCTIONS_WIDEN_H_
#define DFRUN_KERNELS_MATH_FUNCTIONS_WIDEN_H_

#include <cstdint>

#include "src/base/threads.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

// to[i] = from[i] for i < count, over the pool.
template <class From, class To>
void ConvertElements(const From* from, int64_t count, To* to, ThreadPool& pool) {
  constexpr int64_t kBlock = int64_t{1} << 15;  // some microseconds
  constexpr int64_t kLineElements = 32;
  pool.ParallelForEvenly(count, kBlock, kLineElements, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = static_cast<To>(from[i]);
  });
}

// A float vector of the elements. ResourceExhausted where there is no memory.
template <class T>
Result<Tensor> Widened(const T* from, int64_t count, ThreadPool& pool, Allocator& allocator) {
  DF_ASSIGN(Tensor wide, Tensor::Allocate(allocator, DType::kFloat, Shape({count})));
  ConvertElements(from, count, wide.data<float>(), pool);
  return wide;
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_FUNCTIONS_WIDEN_H_
