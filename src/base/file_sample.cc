#include "src/base/file_sample.h"

#include <algorithm>
#include <vector>

#include "src/base/crc32c.h"

namespace dfrun {

Result<uint32_t> DigestSample(const FileDescriptor& file, uint64_t bytes, uint64_t most_blocks) {
  const uint64_t blocks = (bytes + kSampleBlockBytes - 1) / kSampleBlockBytes;
  const uint64_t chosen = std::min(blocks, most_blocks);
  std::vector<char> block(kSampleBlockBytes);
  uint32_t crc = 0;
  for (uint64_t i = 0; i < chosen; ++i) {
    const uint64_t at = (chosen == 1 ? 0 : i * (blocks - 1) / (chosen - 1)) * kSampleBlockBytes;
    const size_t n = std::min(kSampleBlockBytes, bytes - at);
    DF_TRY(file.ReadAt(at, block.data(), n));
    crc = ExtendCrc32c(crc, block.data(), n);
  }
  return crc;
}

}  // namespace dfrun
