// Parts of the program that need a library which not every host has: libdfrun_<name>.so in the folder dfrun/ beside
// libdfrun.so. A part is opened at its first use, so that a host without the library starts all the same.
#ifndef DFRUN_SRC_BASE_PROGRAM_PART_H_
#define DFRUN_SRC_BASE_PROGRAM_PART_H_

#include <string>

#include "src/base/status.h"

namespace dfrun {

std::string ProgramPartFile(const std::string& name);
bool HasProgramPart(const std::string& name);

// The function `entry` of the part, which stays open. FailedPrecondition: the file is not there, the loader lacks a
// library, or it has no such function.
// Thread safety: any thread.
Result<void*> OpenProgramPart(const std::string& name, const char* entry);

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_PROGRAM_PART_H_
