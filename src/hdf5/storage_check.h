// Whether the values of a dataset can be read from where they are stored.
#ifndef DFRUN_SRC_HDF5_STORAGE_CHECK_H_
#define DFRUN_SRC_HDF5_STORAGE_CHECK_H_

#include <string>

#include "src/hdf5/hdf5.h"

namespace dfrun {

// Checks for storage that HDF5 would find missing only when values are read, or would give zeros for: a filter; a part
// of a virtual dataset that is missing, damaged or of another type or size than the dataset needs; external storage
// that is cut. NotFound, InvalidArgument or DataLoss names the dataset, and the part. `path` is the file's, `name` the
// dataset's.
Status CheckStorage(const h5::Handle& dataset, const std::string& path, const std::string& name);

}  // namespace dfrun

#endif  // DFRUN_SRC_HDF5_STORAGE_CHECK_H_
