// Names of the functions that come with dfrun.
#ifndef DFRUN_SRC_SPEC_SPEC_LIBRARY_H_
#define DFRUN_SRC_SPEC_SPEC_LIBRARY_H_

#include <string>
#include <string_view>

namespace dfrun {

// Explains how to include a library function whose name differs from this one at most in upper and lower case. Empty
// for others, or where the library cannot be read.
std::string AboutLibraryFunction(std::string_view name);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_SPEC_LIBRARY_H_
