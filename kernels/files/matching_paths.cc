#include "kernels/files/matching_paths.h"

#include <glob.h>

#include <filesystem>

namespace dfrun {

std::vector<std::string> MatchingPaths(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return paths;
}

Result<std::vector<std::string>> MatchingPaths(const std::string& pattern, const FileAccess& access) {
  DF_TRY(access.CheckPattern(pattern));
  std::vector<std::string> paths = MatchingPaths(pattern);
  for (const std::string& path : paths) {
    // A link to a file is a name as any other, but none to a directory may lead out.
    DF_TRY(access.ForReading(std::filesystem::path(path).parent_path().string()).status());
  }
  return paths;
}

}  // namespace dfrun
