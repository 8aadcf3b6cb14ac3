// Datasets that show the values of another file.
#ifndef DFRUN_SRC_HDF5_SHOWN_DATASET_H_
#define DFRUN_SRC_HDF5_SHOWN_DATASET_H_

#include <string>

#include "src/framework/dtype.h"
#include "src/framework/shape.h"
#include "src/hdf5/hdf5.h"

namespace dfrun {

// As Hdf5Writer::Show(): a virtual dataset, which HDF5 from 1.10 on reads as if the values were its own. Of strings an
// external link: what a string's type is depends on whether one of them holds a NUL.
Status ShowDataset(const h5::Handle& in, const std::string& file, const std::string& dataset, DType dtype,
                   const Shape& shape);

}  // namespace dfrun

#endif  // DFRUN_SRC_HDF5_SHOWN_DATASET_H_
