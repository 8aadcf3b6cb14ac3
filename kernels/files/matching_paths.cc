#include "kernels/files/matching_paths.h"

#include <glob.h>

namespace dfrun {

std::vector<std::string> MatchingPaths(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return paths;
}

}  // namespace dfrun
