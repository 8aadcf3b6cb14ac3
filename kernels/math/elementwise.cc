#include "kernels/math/elementwise.h"

#include <cstdint>
#include <cstring>

#ifdef __AVX__
#include <immintrin.h>
#endif

namespace dfrun {

void StreamCopy(void* to, const void* from, size_t bytes) {
#ifdef __AVX__
  auto* target = static_cast<std::byte*>(to);
  const auto* source = static_cast<const std::byte*>(from);
  const size_t head = std::min(bytes, -reinterpret_cast<uintptr_t>(target) % 64);  // whole lines are written
  std::memcpy(target, source, head);
  size_t at = head;
  for (; at + 64 <= bytes; at += 64) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source + at));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source + at + 32));
    _mm256_stream_si256(reinterpret_cast<__m256i*>(target + at), low);
    _mm256_stream_si256(reinterpret_cast<__m256i*>(target + at + 32), high);
  }
  std::memcpy(target + at, source + at, bytes - at);
  _mm_sfence();
#else
  std::memcpy(to, from, bytes);
#endif
}

bool IsPlaced(const KernelSetup& setup) {
  const NodeInfo& node = setup.node();
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i].is_ref || !setup.input_shape(static_cast<int>(i)).IsFullyDefined()) return false;
  }
  return setup.output_is_placed(0);
}

}  // namespace dfrun
