// Writes ZIP archives of members that are stored as they are.
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
#ifndef DFRUN_JOBS_EXPORT_ZIP_WRITER_H_
#define DFRUN_JOBS_EXPORT_ZIP_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "src/base/status.h"

namespace dfrun::jobs {

// Thread safety: one thread.
class ZipWriter {
 public:
  // ResourceExhausted for more than 65,535 members, or 4 GiB in all: sizes have 32 bits here.
  Status Add(std::string_view name, std::string_view content);
  // Returns the archive.
  Result<std::string> Finish();

 private:
  std::string file_;
  std::string directory_;
  uint32_t members_ = 0;
};

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_EXPORT_ZIP_WRITER_H_
