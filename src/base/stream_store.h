// Access to tensors larger than the caches: stores that bypass the caches, so that a line is not read before it is
// written, and prefetches, because those of the CPU stop at the end of a page.
#ifndef DFRUN_SRC_BASE_STREAM_STORE_H_
#define DFRUN_SRC_BASE_STREAM_STORE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace dfrun {

// Outputs of this size and more have left the caches before they are read, so they are stored around the caches. A
// chain of copies runs 1.4 times as fast from 64 MB on, and slower up to 32 MB.
constexpr size_t kStreamBytes = size_t{48} << 20;

// Returns true where storing n elements of plain bytes around the caches pays. It does not where an output takes over
// its input's buffer, whose lines are in the cache when they are written.
inline bool IsStreamed(int64_t n, size_t element_size) {
  return static_cast<size_t>(n) * element_size >= kStreamBytes;
}

// Copies with stores around the caches. Any addresses will do. StreamFence() must follow.
void StreamCopy(void* to, const void* from, size_t bytes);
// Copies kStreamedRows rows of `bytes` bytes, each from an address of its own, to one stretch of memory, and prefetches
// the rows that the next call will copy.
constexpr int kStreamedRows = 6;
using RowPointers = const std::byte* [kStreamedRows];
void StreamRows(const RowPointers& next, void* to, const RowPointers& from, size_t bytes);

// Stores the 64 bytes of a line; `to` is aligned to 64. It uses the compilers' builtins, because the header of the
// intrinsics takes as long to compile as the rest of a kernel.
inline void StreamLine(void* to, const void* from) {
#if !defined(__AVX__)
  std::memcpy(to, from, 64);
#else
#if defined(__AVX512F__) && !defined(__clang__)
  constexpr size_t kBytes = 64;
#else
  constexpr size_t kBytes = 32;
#endif
  using Vector =
      long long __attribute__((vector_size(kBytes), may_alias));  // NOLINT(google-runtime-int): what the builtin takes
  Vector values[64 / kBytes];
  std::memcpy(values, from, 64);
  for (size_t i = 0; i < 64 / kBytes; ++i) {
#if defined(__clang__)
    __builtin_nontemporal_store(values[i], static_cast<Vector*>(to) + i);
#elif defined(__AVX512F__)
    __builtin_ia32_movntdq512(static_cast<Vector*>(to) + i, values[i]);
#else
    __builtin_ia32_movntdq256(static_cast<Vector*>(to) + i, values[i]);
#endif
  }
#endif
}

// Orders all streamed stores before later stores, by which other threads learn of them.
inline void StreamFence() {
#ifdef __SSE2__
  __builtin_ia32_sfence();
#endif
}

// Prefetches the lines of `bytes` bytes from `from` on, which need not be mapped; into the second-level cache where
// kLocality is 2. It is always inline, because g++ drops calls of a function that only prefetches.
template <int kLocality = 3>
[[gnu::always_inline]] inline void PrefetchLines(const void* from, size_t bytes) {
  for (size_t at = 0; at < bytes; at += 64) __builtin_prefetch(static_cast<const std::byte*>(from) + at, 0, kLocality);
}

// Short, so that memory writes one piece while the next is computed: where one thread copies at 45 GB/s, sums take 1.1
// times as long with 1024 and twice as long with 2048.
constexpr size_t kPieceBytes = 512;

// Computes elements [begin, end) of an output in pieces and stores them around the caches: `make(at, n, piece)` puts
// elements [at, at + n) into `piece`, which stays in the first-level cache. An element has at most kPieceBytes bytes.
template <class Make>
void StreamPieces(void* output, size_t element_size, int64_t begin, int64_t end, Make&& make) {
  alignas(64) std::byte piece[kPieceBytes];
  const auto most = static_cast<int64_t>(kPieceBytes / element_size);
  for (int64_t at = begin; at < end; at += most) {
    const int64_t n = std::min(most, end - at);
    make(at, n, static_cast<void*>(piece));
    StreamCopy(static_cast<std::byte*>(output) + static_cast<size_t>(at) * element_size, piece,
               static_cast<size_t>(n) * element_size);
  }
  StreamFence();
}

inline bool IsLineAligned(const void* p) {
  return reinterpret_cast<uintptr_t>(p) % 64 == 0;
}

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_STREAM_STORE_H_
