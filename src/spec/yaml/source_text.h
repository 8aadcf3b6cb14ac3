// Reads and checks the bytes of a spec file before any parser sees them.
#ifndef DFRUN_SRC_SPEC_YAML_SOURCE_TEXT_H_
#define DFRUN_SRC_SPEC_YAML_SOURCE_TEXT_H_

#include <optional>
#include <string>

#include "src/spec/yaml/diagnostics.h"

namespace dfrun {

inline constexpr size_t kMaxSpecBytes = 16 << 20;

// Reads a regular file of at most kMaxSpecBytes; a byte order mark at its beginning is dropped. kIo if it cannot be
// read, kBadSpec if it is too large or not a regular file.
// Blocks: on the read.
Result<std::string> ReadSpecFile(const std::string& path);

// Reports the first byte that is not UTF-8, or is NUL, with its line and column (both from 1; columns count bytes).
bool CheckSpecText(std::string_view text, int32_t file, Diagnostics& diagnostics);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_YAML_SOURCE_TEXT_H_
