// One value in every element, around the caches where there are more elements than they hold.
#ifndef DFRUN_KERNELS_ARRAY_COPY_FILL_ELEMENTS_H_
#define DFRUN_KERNELS_ARRAY_COPY_FILL_ELEMENTS_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "src/base/stream_store.h"
#include "src/base/threads.h"

namespace dfrun {

// Fills around the caches, whatever the size.
template <class E>
void StreamFill(E* begin, E* end, const E& value) {
  constexpr std::ptrdiff_t kLine = 64 / sizeof(E);
  alignas(64) E line[kLine];
  std::fill_n(line, kLine, value);
  for (; begin != end && !IsLineAligned(begin); ++begin) *begin = value;
  for (; end - begin >= kLine; begin += kLine) StreamLine(begin, line);
  std::fill(begin, end, value);
  StreamFence();
}

template <class E>
void FillElements(ThreadPool& pool, E* to, int64_t n, const E& value) {
  constexpr int64_t kBlock = 65536;  // elements: some 10 us
  pool.ParallelFor(n, kBlock, [&](int64_t begin, int64_t end) {
    if constexpr (std::is_trivially_copyable_v<E>) {
      if (IsStreamed(n, sizeof(E))) return StreamFill(to + begin, to + end, value);
    }
    std::fill(to + begin, to + end, value);
  });
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_COPY_FILL_ELEMENTS_H_
