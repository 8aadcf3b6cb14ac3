// Files of /proc, whose sizes are not known beforehand.
#ifndef DFRUN_SRC_BASE_PROC_FILE_H_
#define DFRUN_SRC_BASE_PROC_FILE_H_

#include <sys/types.h>

#include <string>

namespace dfrun {

// Returns the content of a file of a process, "stat" or "environ". Empty where it cannot be read: the process has
// ended, perhaps meanwhile, or it is another user's.
// Thread safety: any thread.
std::string ReadProcFile(pid_t process, const char* name);

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_PROC_FILE_H_
