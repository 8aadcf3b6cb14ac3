// Finds the specs that come with dfrun: its layers and examples.
#ifndef DFRUN_SRC_SPEC_SPEC_LIBRARY_H_
#define DFRUN_SRC_SPEC_SPEC_LIBRARY_H_

#include <string>

namespace dfrun {

// The folder `configs`, found from the path of dfrun's loaded library, so that an installation may be moved. Empty if
// that path cannot be found out.
std::string SpecLibraryDirectory();

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_SPEC_LIBRARY_H_
