// Memory that does not fit in the caches: stores around them, so that lines are not read before they are written, and
// reads ahead of the CPU's own, which stop at the end of a page.
#ifndef DFRUN_KERNELS_MATH_STREAM_STORE_H_
#define DFRUN_KERNELS_MATH_STREAM_STORE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace dfrun {

// Writes the 64 bytes of a line, both addresses aligned to it. The compilers' builtins stand here in place of a header
// that takes as long to read as the rest of a kernel.
inline void StreamLine(void* to, const void* from) {
#if !defined(__AVX__)
  std::memcpy(to, from, 64);
#elif defined(__clang__)
  using Vector =
      long long __attribute__((vector_size(32), may_alias));  // NOLINT(google-runtime-int): what the builtin takes
  __builtin_nontemporal_store(static_cast<const Vector*>(from)[0], static_cast<Vector*>(to));
  __builtin_nontemporal_store(static_cast<const Vector*>(from)[1], static_cast<Vector*>(to) + 1);
#elif defined(__AVX512F__)
  using Vector =
      long long __attribute__((vector_size(64), may_alias));  // NOLINT(google-runtime-int): what the builtin takes
  __builtin_ia32_movntdq512(static_cast<Vector*>(to), *static_cast<const Vector*>(from));
#else
  using Vector =
      long long __attribute__((vector_size(32), may_alias));  // NOLINT(google-runtime-int): what the builtin takes
  __builtin_ia32_movntdq256(static_cast<Vector*>(to), static_cast<const Vector*>(from)[0]);
  __builtin_ia32_movntdq256(static_cast<Vector*>(to) + 1, static_cast<const Vector*>(from)[1]);
#endif
}

// Orders all streamed lines before what other threads learn of later.
inline void StreamFence() {
#ifdef __SSE2__
  __builtin_ia32_sfence();
#endif
}

// Asks for the lines of `bytes` bytes from `from` on, which need not be there.
inline void PrefetchLines(const void* from, size_t bytes) {
  for (size_t at = 0; at < bytes; at += 64) __builtin_prefetch(static_cast<const std::byte*>(from) + at);
}

inline bool IsLineAligned(const void* p) {
  return reinterpret_cast<uintptr_t>(p) % 64 == 0;
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_STREAM_STORE_H_
