// Names of the functions that come with dfrun.
#ifndef DFRUN_SRC_SPEC_SPEC_LIBRARY_H_
#define DFRUN_SRC_SPEC_SPEC_LIBRARY_H_

#include <string>
#include <string_view>

namespace dfrun {

// Of a name that a function of the library has but for upper and lower case: how to come by it. Empty for others, or
// where the library cannot be read.
std::string AboutLibraryFunction(std::string_view name);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_SPEC_LIBRARY_H_
