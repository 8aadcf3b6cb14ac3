// CRC-32C (Castagnoli), by the SSE4.2 instruction where the processor has it.
#ifndef DFRUN_SRC_BASE_CRC32C_H_
#define DFRUN_SRC_BASE_CRC32C_H_

#include <cstddef>
#include <cstdint>

namespace dfrun {

// Returns the crc of a stream whose first part has crc `crc` (0 for none) and whose next part is data[0, bytes).
uint32_t ExtendCrc32c(uint32_t crc, const void* data, size_t bytes);
inline uint32_t Crc32c(const void* data, size_t bytes) {
  return ExtendCrc32c(0, data, bytes);
}

// Returns a crc as TensorFlow's and LevelDB's files store it, turned and shifted: the crc of bytes that hold crcs
// themselves is no good one.
constexpr uint32_t MaskCrc32c(uint32_t crc) {
  return (crc >> 15 | crc << 17) + 0xa282ead8U;
}

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_CRC32C_H_
