#include "src/base/stream_store.h"

#include <algorithm>

namespace dfrun {
namespace {

// Bytes from `p` to the beginning of a line.
size_t BytesToLine(const void* p) {
  return -reinterpret_cast<uintptr_t>(p) % 64;
}

// The bytes copied at a time in rows whose lines are not aligned with the target's: copying one line at a time takes
// 1.5 times as long.
constexpr size_t kChunk = 128;

// Prefetches into the second-level cache, because the stores need the buffers of the first.
[[gnu::always_inline]] inline void PrefetchSecond(const std::byte* from, size_t bytes) {
  for (size_t at = 0; at < bytes; at += 64) __builtin_prefetch(from + at, 0, 2);
}

// Copies the chunk of a row that begins with the first whole line of the target at or after `chunk`, and prefetches
// that of the next row.
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
  if (IsLineAligned(to) && bytes % 64 == 0) {
    // A line of each row in turn, so that memory works on several rows at a time: of a copy's speed 0.84 to 0.89 on one
    // thread for rows of 4 KiB, where two lines of eight rows take 0.81 to 0.86, four lines 0.78 to 0.84, row after row
    // 0.6 to 0.72.
    for (size_t line = 0; line < bytes; line += 64) {
      for (size_t r = 0; r < kStreamedRows; ++r) {
        PrefetchSecond(next[r] + line, 64);
        asm volatile("" ::: "memory");  // keeps compilers from putting the load first
        StreamLine(target + r * bytes + line, from[r] + line);
      }
    }
  } else {
    for (size_t chunk = 0; chunk < bytes; chunk += kChunk) {
      for (size_t r = 0; r < kStreamedRows; ++r) StreamAnyChunk(next[r], target + r * bytes, from[r], chunk, bytes);
    }
  }
}

}  // namespace dfrun
