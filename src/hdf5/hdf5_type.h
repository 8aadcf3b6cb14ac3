// Describes an HDF5 type in words, for messages.
#ifndef DFRUN_SRC_HDF5_HDF5_TYPE_H_
#define DFRUN_SRC_HDF5_HDF5_TYPE_H_

#include <string>

#include "src/hdf5/hdf5.h"

namespace dfrun::h5 {

// "float32", "an enum of int32", "a table of the fields x (float32[3]), y (int64)", "lists of float32 of any length",
// "a float of 15 exponent bits with the bias 16383 and 48 mantissa bits in 8 bytes".
std::string TypeText(const Handle& type);

}  // namespace dfrun::h5

#endif  // DFRUN_SRC_HDF5_HDF5_TYPE_H_
