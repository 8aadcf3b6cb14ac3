// The bytes of a file that can hold a dataset, as a bound of its size.
#ifndef DFRUN_SRC_HDF5_BYTES_HELD_H_
#define DFRUN_SRC_HDF5_BYTES_HELD_H_

#include <cstdint>
#include <string>

#include "src/hdf5/hdf5.h"

namespace dfrun {

// Implements Hdf5Structure::BytesHeld().
uint64_t BytesHeld(const h5::Handle& file, const std::string& path, const std::string& name);

}  // namespace dfrun

#endif  // DFRUN_SRC_HDF5_BYTES_HELD_H_
