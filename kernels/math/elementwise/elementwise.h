// Helpers of the element-wise engines.
#ifndef DFRUN_KERNELS_MATH_ELEMENTWISE_ELEMENTWISE_H_
#define DFRUN_KERNELS_MATH_ELEMENTWISE_ELEMENTWISE_H_

#include <cstddef>

#include "src/base/stream_store.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

// Elements of a block that one thread takes. A block of the cheapest op takes 5 to 10 us, as long as it takes to wake a
// thread; and 128 KiB of float stay in the second cache.
constexpr int64_t kElementBlock = 32768;
// The bounds of a part are multiples of this.
constexpr int64_t kElementStep = 1024;
// The number of elements from which on an element-wise kernel takes more than a microsecond.
constexpr int64_t kExpensiveCount = 8192;

inline const std::byte* At(const void* data, int64_t elements, size_t size) {
  return static_cast<const std::byte*>(data) + elements * static_cast<int64_t>(size);
}
inline std::byte* At(void* data, int64_t elements, size_t size) {
  return static_cast<std::byte*>(data) + elements * static_cast<int64_t>(size);
}

// Makes elements [0, n) of an output on the pool: make(at, count, to) puts elements [at, at + count) at `to`, which is
// their memory in the output or, where the output `streams`, a buffer.
template <class Make>
void MakeElements(ThreadPool& pool, void* output, size_t element_size, int64_t n, bool streams, Make&& make) {
  pool.ParallelForEvenly(n, kElementBlock, kElementStep, [&](int64_t begin, int64_t end) {
    if (streams) return StreamPieces(output, element_size, begin, end, make);
    make(begin, end - begin, static_cast<void*>(At(output, begin, element_size)));
  });
}

// True where the plan knows all shapes, no input is a ref and output 0 is preallocated: input_data() and
// preallocated_output() may be used and no shape needs a look.
bool IsPreallocated(const KernelSetup& setup);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_ELEMENTWISE_ELEMENTWISE_H_
