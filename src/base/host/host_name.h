// The name of this host, as the system has it.
#ifndef DFRUN_SRC_BASE_HOST_HOST_NAME_H_
#define DFRUN_SRC_BASE_HOST_HOST_NAME_H_

#include <string>

namespace dfrun {

// Returns the name; "" where the system does not tell it. Thread safety: any thread.
std::string HostName();

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_HOST_HOST_NAME_H_
