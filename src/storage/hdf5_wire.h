// Converts descriptions of HDF5 files to messages and back.
#ifndef DFRUN_SRC_STORAGE_HDF5_WIRE_H_
#define DFRUN_SRC_STORAGE_HDF5_WIRE_H_

#include "src/base/file_version.h"
#include "src/storage/hdf5_library.h"

namespace dfrun {

namespace hdf5 {  // src/storage/hdf5_helper.proto
class DatasetInfo;
class FileVersion;
}  // namespace hdf5

void ToProto(const DatasetInfo& info, hdf5::DatasetInfo* to);
// Reads a description; DataLoss if no dataset can be like it. Its caller, which knows the file, checks that the dataset
// lies within it.
Result<DatasetInfo> FromProto(const hdf5::DatasetInfo& info);

void ToProto(const FileVersion& version, hdf5::FileVersion* to);
FileVersion FromProto(const hdf5::FileVersion& version);

}  // namespace dfrun

#endif  // DFRUN_SRC_STORAGE_HDF5_WIRE_H_
