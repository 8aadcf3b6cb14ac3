// What tells one build of dfrun from another.
#ifndef DFRUN_COMM_BOOTSTRAP_BUILD_ID_H_
#define DFRUN_COMM_BOOTSTRAP_BUILD_ID_H_

#include <string>

namespace dfrun::comm {

// The linker's build id of the object file that holds this code, in hex, and what it was compiled with and for.
std::string BuildId();

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_BOOTSTRAP_BUILD_ID_H_
