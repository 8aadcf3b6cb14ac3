// Checks the real place of a dataset's values: HDF5 lets a file name any other file as the storage of its values.
#ifndef DFRUN_SRC_HDF5_HDF5_LOCATION_H_
#define DFRUN_SRC_HDF5_HDF5_LOCATION_H_

#include <string>

#include "src/hdf5/hdf5.h"
#include "src/storage/hdf5_library.h"

namespace dfrun {

// Returns OK where the rules allow the place of an open file's dataset. BadSpec for storage elsewhere of a data file,
// DataLoss for anything odd in a shard. Opening the dataset reports NotFound.
Status CheckLocation(const h5::Handle& file, const std::string& path, const std::string& dataset,
                     const Hdf5Rules& rules);

}  // namespace dfrun

#endif  // DFRUN_SRC_HDF5_HDF5_LOCATION_H_
