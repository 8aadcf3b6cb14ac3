// Paths that fit a shell's pattern.
#ifndef DFRUN_KERNELS_FILES_MATCHING_PATHS_H_
#define DFRUN_KERNELS_FILES_MATCHING_PATHS_H_

#include <string>
#include <vector>

namespace dfrun {

// Sorted. `*`, `?` and `[...]` stand for what they do in a shell: none of them fits a `/`.
std::vector<std::string> MatchingPaths(const std::string& pattern);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_FILES_MATCHING_PATHS_H_
