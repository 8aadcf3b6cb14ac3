// Where the specs that come with dfrun are: its layers and examples.
#ifndef DFRUN_SRC_SPEC_SPEC_LIBRARY_H_
#define DFRUN_SRC_SPEC_SPEC_LIBRARY_H_

#include <string>

namespace dfrun {

// The folder `configs`, found from where the loaded library of dfrun lies, so that an installation may be moved. Empty
// where that cannot be found out.
std::string SpecLibraryDirectory();

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_SPEC_LIBRARY_H_
