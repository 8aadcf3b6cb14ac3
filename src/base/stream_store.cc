#include "src/base/stream_store.h"

#include <algorithm>

namespace dfrun {
namespace {

// Bytes from `p` to the beginning of a line.
size_t BytesToLine(const void* p) {
  return -reinterpret_cast<uintptr_t>(p) % 64;
}

// Two lines of each row in turn, so that memory works on several rows at a time: of a copy's speed 0.86 to 0.97 on one
// thread for rows of 4 KiB, where four lines take 0.78 to 0.96, row after row 0.6 and 16 rows 0.83.
constexpr size_t kChunk = 128;
// Rows whose next chunks are asked for before so many are copied: 0.98 of the time of one by one.
constexpr size_t kAskedTogether = 4;
static_assert(kStreamedRows % kAskedTogether == 0);

// Into the second cache: the stores need the first one's buffers.
[[gnu::always_inline]] inline void PrefetchSecond(const std::byte* from, size_t bytes) {
  for (size_t at = 0; at < bytes; at += 64) __builtin_prefetch(from + at, 0, 2);
}

// A chunk that is whole lines of the target.
[[gnu::always_inline]] inline void StreamChunk(std::byte* to, const std::byte* from) {
  for (size_t at = 0; at < kChunk; at += 64) StreamLine(to + at, from + at);
}

// That from `chunk` on of a row, but from and to where the row's lines begin.
void StreamAnyChunk(const std::byte* next, std::byte* row, const std::byte* from, size_t chunk, size_t bytes) {
  PrefetchSecond(next + chunk, std::min(kChunk, bytes - chunk));
  const size_t head = BytesToLine(row);
  const size_t begin = chunk == 0 ? 0 : std::min(bytes, chunk + head);
  StreamCopy(row + begin, from + begin, std::min(bytes, chunk + kChunk + head) - begin);
}

}  // namespace

void StreamCopy(void* to, const void* from, size_t bytes) {
  auto* target = static_cast<std::byte*>(to);
  const auto* source = static_cast<const std::byte*>(from);
  const size_t head = std::min(bytes, BytesToLine(target));
  std::memcpy(target, source, head);
  size_t at = head;
  for (; at + 64 <= bytes; at += 64) {
    alignas(64) std::byte line[64];
    std::memcpy(line, source + at, 64);
    StreamLine(target + at, line);
  }
  std::memcpy(target + at, source + at, bytes - at);
}

void StreamRows(const RowPointers& next, void* to, const RowPointers& from, size_t bytes) {
  auto* const target = static_cast<std::byte*>(to);
  if (IsLineAligned(to) && bytes % kChunk == 0) {
    for (size_t chunk = 0; chunk < bytes; chunk += kChunk) {
      for (size_t r = 0; r < kStreamedRows; ++r) {
        if (r % kAskedTogether == 0) {
          for (size_t i = r; i < r + kAskedTogether; ++i) PrefetchSecond(next[i] + chunk, kChunk);
          asm volatile("" ::: "memory");  // or compilers put a load first
        }
        StreamChunk(target + r * bytes + chunk, from[r] + chunk);
      }
    }
  } else {
    for (size_t chunk = 0; chunk < bytes; chunk += kChunk) {
      for (size_t r = 0; r < kStreamedRows; ++r) StreamAnyChunk(next[r], target + r * bytes, from[r], chunk, bytes);
    }
  }
}

}  // namespace dfrun
