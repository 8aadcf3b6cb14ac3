#include "src/base/crc32c.h"

#include <array>
#include <cstring>

#if defined(__SSE4_2__)
#include <nmmintrin.h>
#endif

namespace dfrun {

namespace {

// Advances a crc by one zero bit of data, in bit-reversed order.
constexpr uint32_t Shifted(uint32_t crc) {
  return (crc & 1U) != 0 ? 0x82f63b78U ^ (crc >> 1) : crc >> 1;
}

using ByteTable = std::array<uint32_t, 256>;

#if defined(__SSE4_2__)

// The instruction takes three cycles, but one can start in each cycle, so three parts of the data are processed side by
// side.
constexpr size_t kLane = 256;

// Tables that advance a crc by kLane zero bytes, by each byte of the crc: the result is linear in its bits.
constexpr std::array<ByteTable, 4> MakeLaneTables() {
  std::array<ByteTable, 4> tables{};
  for (size_t bit = 0; bit < 32; ++bit) {
    uint32_t crc = uint32_t{1} << bit;
    for (size_t i = 0; i < 8 * kLane; ++i) crc = Shifted(crc);
    ByteTable& table = tables[bit / 8];
    for (size_t byte = 0; byte < 256; ++byte) {
      if ((byte >> (bit % 8) & 1U) != 0) table[byte] ^= crc;
    }
  }
  return tables;
}
constexpr std::array<ByteTable, 4> kLaneTables = MakeLaneTables();

uint64_t BehindLane(uint64_t crc) {
  return kLaneTables[0][crc & 0xffU] ^ kLaneTables[1][crc >> 8 & 0xffU] ^ kLaneTables[2][crc >> 16 & 0xffU] ^
         kLaneTables[3][crc >> 24 & 0xffU];
}

uint64_t Word(const unsigned char* p) {
  uint64_t word;
  std::memcpy(&word, p, sizeof(word));
  return word;
}

uint64_t ExtendByThreeLanes(uint64_t state, const unsigned char* p) {
  uint64_t second = 0;
  uint64_t third = 0;
  for (size_t i = 0; i < kLane; i += 8) {
    state = _mm_crc32_u64(state, Word(p + i));
    second = _mm_crc32_u64(second, Word(p + kLane + i));
    third = _mm_crc32_u64(third, Word(p + 2 * kLane + i));
  }
  return BehindLane(BehindLane(state) ^ second) ^ third;
}

uint32_t Extend(uint32_t crc, const unsigned char* p, size_t bytes) {
  uint64_t state = crc;
  for (; bytes >= 3 * kLane; bytes -= 3 * kLane, p += 3 * kLane) state = ExtendByThreeLanes(state, p);
  for (; bytes >= 8; bytes -= 8, p += 8) state = _mm_crc32_u64(state, Word(p));
  auto low = static_cast<uint32_t>(state);
  for (; bytes > 0; --bytes) low = _mm_crc32_u8(low, *p++);
  return low;
}

#else

constexpr ByteTable MakeTable() {
  ByteTable table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int k = 0; k < 8; ++k) crc = Shifted(crc);
    table[i] = crc;
  }
  return table;
}
constexpr ByteTable kTable = MakeTable();

uint32_t Extend(uint32_t crc, const unsigned char* p, size_t bytes) {
  for (; bytes > 0; --bytes) crc = kTable[(crc ^ *p++) & 0xffU] ^ (crc >> 8);
  return crc;
}

#endif

}  // namespace

uint32_t ExtendCrc32c(uint32_t crc, const void* data, size_t bytes) {
  return ~Extend(~crc, static_cast<const unsigned char*>(data), bytes);
}

}  // namespace dfrun
