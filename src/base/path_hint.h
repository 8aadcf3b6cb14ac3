// Hints about paths that only a shell, or a program for another store, understands.
#ifndef DFRUN_SRC_BASE_PATH_HINT_H_
#define DFRUN_SRC_BASE_PATH_HINT_H_

#include <string>
#include <string_view>

namespace dfrun {

// Explains a path that was not found: "; '~' is the shell's: write the whole path". Empty for ordinary paths.
std::string AboutPath(std::string_view path);

// Whether the path names something else than a place in a file system: "~/run", "s3://runs/1".
bool IsForeignPath(std::string_view path);

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_PATH_HINT_H_
