// Tensors as HDF5 datasets and back.
//
// Types are those that h5py reads as the numpy type: bool as h5py's enum {FALSE, TRUE}, complex as the compound {r, i},
// float16 as the 2-byte IEEE float, strings of variable length (variable-length uint8 where one holds a NUL). bfloat16
// is stored as uint16 and the quantised types as their integers. The attribute `dtype` (DT_FLOAT, ...) decides on
// reading; without it the file's type does: src/hdf5/element_type.h. Names may be those of tables' fields, and of
// lists' lengths and values: src/hdf5/hdf5_rows.h.
// Thread safety: a file handle is for one thread at a time.
#ifndef DFRUN_SRC_HDF5_TENSOR_HDF5_H_
#define DFRUN_SRC_HDF5_TENSOR_HDF5_H_

#include <string>

#include "src/framework/values/tensor.h"
#include "src/hdf5/hdf5.h"
#include "src/storage/hdf5_library.h"

namespace dfrun {

// Describes a dataset of an open file. InvalidArgument for an HDF5 type that stands for no dtype.
Result<DatasetInfo> InspectDataset(const h5::Handle& file, const std::string& path, const std::string& name);
// Describes a dataset of a file by path.
Result<DatasetInfo> InspectDataset(const std::string& path, const std::string& name);

// The whole dataset.
Result<Tensor> ReadTensor(const h5::Handle& file, const std::string& path, const std::string& name,
                          Allocator& allocator);
// Rows [begin, begin + rows) of the first dimension, into `to`, whose dtype and shape fit.
Status ReadRows(const h5::Handle& file, const std::string& path, const std::string& name, int64_t begin, Tensor& to);

// A new dataset with its groups; contiguous, allocated early. With `write_bytes` false plain elements are left for the
// caller to write at `offset` after the file is closed.
Result<DatasetInfo> WriteTensor(const h5::Handle& file, const std::string& name, const Tensor& value,
                                bool write_bytes = true);

}  // namespace dfrun

#endif  // DFRUN_SRC_HDF5_TENSOR_HDF5_H_
