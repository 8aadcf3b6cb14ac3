#include "src/base/stream_store.h"

#include <algorithm>

namespace dfrun {
namespace {

// Bytes from `p` to the beginning of a line.
size_t BytesToLine(const void* p) {
  return -reinterpret_cast<uintptr_t>(p) % 64;
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
  // A few lines of each row in turn, so that memory works on several rows at a time: of a copy's speed 0.95 on one
  // thread for rows of 4 KiB, where row after row takes 0.65, lines in turn 0.57, and 16 rows 0.83.
  constexpr size_t kChunk = 256;
  // Into the second cache: the stores need the first one's buffers.
  constexpr int kSecondCache = 2;
  auto* const target = static_cast<std::byte*>(to);
  for (size_t chunk = 0; chunk < bytes; chunk += kChunk) {
    for (size_t r = 0; r < kStreamedRows; ++r) {
      const size_t fetched = std::min(bytes, chunk + kChunk);
      for (size_t at = chunk; at < fetched; at += 64) __builtin_prefetch(next[r] + at, 0, kSecondCache);
      std::byte* const row = target + r * bytes;
      const size_t head = BytesToLine(row);  // chunks end where the row's lines do
      const size_t begin = chunk == 0 ? 0 : std::min(bytes, chunk + head);
      const size_t end = std::min(bytes, chunk + kChunk + head);
      StreamCopy(row + begin, from[r] + begin, end - begin);
    }
  }
}

}  // namespace dfrun
