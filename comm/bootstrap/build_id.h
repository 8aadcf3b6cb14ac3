// Identifies a build of dfrun.
#ifndef DFRUN_COMM_BOOTSTRAP_BUILD_ID_H_
#define DFRUN_COMM_BOOTSTRAP_BUILD_ID_H_

#include <string>

namespace dfrun::comm {

// Returns the linker's build id of the object file that holds this code, in hex, with compiler and target processor.
std::string BuildId();

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_BOOTSTRAP_BUILD_ID_H_
