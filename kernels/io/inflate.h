// Compressed files in memory, by zlib.
#ifndef DFRUN_KERNELS_IO_INFLATE_H_
#define DFRUN_KERNELS_IO_INFLATE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "src/base/status.h"

namespace dfrun {

enum class Compression { kNone, kGzip, kZlib };

// "" and "none", "gzip", "zlib" in any case; InvalidArgument for others.
Result<Compression> ParseCompression(std::string_view name);

// The bytes that `compressed` stands for. DataLoss where it is damaged or cut short, OutOfRange where there are more
// than `limit`, ResourceExhausted without memory.
Result<std::string> Inflate(std::string_view compressed, Compression compression, size_t limit);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_INFLATE_H_
