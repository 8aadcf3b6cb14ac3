// The paths of input files, as the spec writes them.
#ifndef DFRUN_SRC_SPEC_SCHEMA_INPUT_PATH_H_
#define DFRUN_SRC_SPEC_SCHEMA_INPUT_PATH_H_

#include <string>

namespace dfrun {

// Returns the path, or the pattern of paths, that `text` is for a spec in `directory`. In a pattern the special
// characters of the directory's own name are escaped.
std::string InputPath(const std::string& directory, const std::string& text);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_SCHEMA_INPUT_PATH_H_
