// Datasets that show the values of another file.
#ifndef DFRUN_SRC_HDF5_SHOWN_DATASET_H_
#define DFRUN_SRC_HDF5_SHOWN_DATASET_H_

#include <string>

#include "src/framework/values/dtype.h"
#include "src/framework/values/shape.h"
#include "src/hdf5/hdf5.h"

namespace dfrun {

// Implements Hdf5Writer::Show() by a virtual dataset, which HDF5 from 1.10 on reads as if the values were its own.
// Strings get an external link instead: the type of a string depends on whether one of them holds a NUL.
Status ShowDataset(const h5::Handle& in, const std::string& file, const std::string& dataset, DType dtype,
                   const Shape& shape);

}  // namespace dfrun

#endif  // DFRUN_SRC_HDF5_SHOWN_DATASET_H_
