// Where the values of a dataset really lie: HDF5 lets a file name any other file as the place of its values.
#ifndef DFRUN_SRC_FRAMEWORK_HDF5_LOCATION_H_
#define DFRUN_SRC_FRAMEWORK_HDF5_LOCATION_H_

#include <string>
#include <vector>

#include "src/base/hdf5.h"

namespace dfrun {

// What is followed from an HDF5 file that may be anyone's.
struct Hdf5Rules {
  // A checkpoint's shard: contiguous datasets of the file itself, by names that are no links; the file is no link
  // either.
  bool is_shard = false;
  // External links, virtual datasets and external storage, wherever they lead; else only below the directory of the
  // file and below `roots`.
  bool follows_all = false;
  std::vector<std::string> roots = {};
};

// OK where a dataset of an open file lies where the rules have it. BadSpec for a place elsewhere in a data file,
// DataLoss for anything odd in a shard. NotFound is left to who opens the dataset.
Status CheckLocation(const h5::Handle& file, const std::string& path, const std::string& dataset,
                     const Hdf5Rules& rules);

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_HDF5_LOCATION_H_
