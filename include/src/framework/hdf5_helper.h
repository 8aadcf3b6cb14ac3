// Moved to src/storage/hdf5_helper.h.
#ifndef DFRUN_INCLUDE_SRC_FRAMEWORK_HDF5_HELPER_H_
#define DFRUN_INCLUDE_SRC_FRAMEWORK_HDF5_HELPER_H_

#include "src/storage/hdf5_helper.h"  // IWYU pragma: export

#endif  // DFRUN_INCLUDE_SRC_FRAMEWORK_HDF5_HELPER_H_
