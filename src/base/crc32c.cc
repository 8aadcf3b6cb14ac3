#include "src/base/crc32c.h"

#include <array>
#include <cstring>

#if defined(__SSE4_2__)
#include <nmmintrin.h>
#endif

namespace dfrun {

#if defined(__SSE4_2__)

uint32_t ExtendCrc32c(uint32_t crc, const void* data, size_t bytes) {
  const auto* p = static_cast<const unsigned char*>(data);
  uint64_t state = ~crc;
  for (; bytes >= 8; bytes -= 8, p += 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    state = _mm_crc32_u64(state, word);
  }
  auto low = static_cast<uint32_t>(state);
  for (; bytes > 0; --bytes) low = _mm_crc32_u8(low, *p++);
  return ~low;
}

#else

namespace {
constexpr std::array<uint32_t, 256> MakeTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = (c & 1U) != 0 ? 0x82f63b78U ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
  return table;
}
constexpr std::array<uint32_t, 256> kTable = MakeTable();
}  // namespace

uint32_t ExtendCrc32c(uint32_t crc, const void* data, size_t bytes) {
  const auto* p = static_cast<const unsigned char*>(data);
  uint32_t state = ~crc;
  for (; bytes > 0; --bytes) state = kTable[(state ^ *p++) & 0xffU] ^ (state >> 8);
  return ~state;
}

#endif

}  // namespace dfrun
