// Paths that fit a shell's pattern.
#ifndef DFRUN_KERNELS_FILES_MATCHING_PATHS_H_
#define DFRUN_KERNELS_FILES_MATCHING_PATHS_H_

#include <string>
#include <vector>

#include "src/storage/file_access.h"

namespace dfrun {

// The matching paths, sorted. `*`, `?` and `[...]` have the shell's meaning: none of them fits a `/`.
std::vector<std::string> MatchingPaths(const std::string& pattern);
// The paths that fit a pattern which a graph names: BadSpec where it leads to paths that may not be looked at.
Result<std::vector<std::string>> MatchingPaths(const std::string& pattern, const FileAccess& access);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_FILES_MATCHING_PATHS_H_
