// Whether a file is still the one that was looked at.
#ifndef DFRUN_SRC_BASE_FILE_VERSION_H_
#define DFRUN_SRC_BASE_FILE_VERSION_H_

#include <cstdint>
#include <optional>
#include <string>

#include "src/base/file.h"

namespace dfrun {

// The identity of a file of a host, and the time of its last change. Files of one version on one host have the same
// bytes.
struct FileVersion {
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t bytes = 0;
  int64_t modified_ns = 0;  // change of its content, since 1970
  int64_t changed_ns = 0;   // change of its entry

  friend bool operator==(const FileVersion&, const FileVersion&) = default;
};

Result<FileVersion> VersionOf(const FileDescriptor& file);
// Returns the version of the file that has this path now, links followed; nothing where there is none that can be seen.
std::optional<FileVersion> VersionOfPath(const std::string& path);

// Tells this start of this host from every other; empty where the system does not say. Processes in containers of one
// host have the same.
const std::string& HostId();

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_FILE_VERSION_H_
