// A checksum of some of a file's bytes.
#ifndef DFRUN_SRC_BASE_FILE_SAMPLE_H_
#define DFRUN_SRC_BASE_FILE_SAMPLE_H_

#include <cstdint>

#include "src/base/file.h"

namespace dfrun {

inline constexpr uint64_t kSampleBlockBytes = uint64_t{64} << 10;

// crc32c of up to `most_blocks` blocks of the file's first `bytes` bytes, from the first to the last at even distances:
// of all of them where there are no more.
Result<uint32_t> DigestSample(const FileDescriptor& file, uint64_t bytes, uint64_t most_blocks);

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_FILE_SAMPLE_H_
