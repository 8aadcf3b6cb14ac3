// Moved to src/storage/file_access.h.
#ifndef DFRUN_INCLUDE_SRC_FRAMEWORK_FILE_ACCESS_H_
#define DFRUN_INCLUDE_SRC_FRAMEWORK_FILE_ACCESS_H_

#include "src/storage/file_access.h"  // IWYU pragma: export

#endif  // DFRUN_INCLUDE_SRC_FRAMEWORK_FILE_ACCESS_H_
