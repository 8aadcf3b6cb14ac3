// Memory that does not fit in the caches: stores around them, so that lines are not read before they are written, and
// reads ahead of the CPU's own, which stop at the end of a page.
#ifndef DFRUN_SRC_BASE_STREAM_STORE_H_
#define DFRUN_SRC_BASE_STREAM_STORE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace dfrun {

// Outputs from this size on are out of the caches before their reader comes: written around the caches, their lines are
// not read first. A chain of copies gains from 64 MB on (1.4 times) and loses up to 32 MB.
constexpr size_t kStreamBytes = size_t{48} << 20;

// Whether n elements, plain bytes, are more than the caches hold, so that it pays to write around them; not where they
// take over an input's buffer, whose lines are in the cache by the time that they are written.
inline bool IsStreamed(int64_t n, size_t element_size) {
  return static_cast<size_t>(n) * element_size >= kStreamBytes;
}

// Copies to memory around the caches. Needs nothing of either address. StreamFence() must follow.
void StreamCopy(void* to, const void* from, size_t bytes);
// The same of kStreamedRows rows of `bytes` bytes from where each of them is, one after the other; and fetches the
// next ones, which will be copied then, on the way.
constexpr int kStreamedRows = 6;
using RowPointers = const std::byte* [kStreamedRows];
void StreamRows(const RowPointers& next, void* to, const RowPointers& from, size_t bytes);

// Writes the 64 bytes of a line; `to` is aligned to it. The compilers' builtins stand here in place of a header that
// takes as long to read as the rest of a kernel.
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

// Orders all streamed lines before what other threads learn of later.
inline void StreamFence() {
#ifdef __SSE2__
  __builtin_ia32_sfence();
#endif
}

// Asks for the lines of `bytes` bytes from `from` on, which need not be there; into the second-level cache where
// kLocality is 2. Always inline: g++ takes a function that only prefetches for one without effect, and drops calls to
// it.
template <int kLocality = 3>
[[gnu::always_inline]] inline void PrefetchLines(const void* from, size_t bytes) {
  for (size_t at = 0; at < bytes; at += 64) __builtin_prefetch(static_cast<const std::byte*>(from) + at, 0, kLocality);
}

// Short, so that the memory is busy with one piece while the next is made: sums take 1.1 times as long with 1024, twice
// with 2048, where one thread copies at 45 GB/s.
constexpr size_t kPieceBytes = 512;

// Makes elements [begin, end) of an output that is written around the caches, in pieces: `make(at, n, piece)` puts
// elements [at, at + n) into `piece`, which stays in the first cache. An element has at most kPieceBytes bytes.
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
