// The places of datasets in HDF5 files, found by one process and told to others.
//
// A layout counts only for the file that it was taken of: on the same host, and unchanged since. It says nothing about
// others.
#ifndef DFRUN_SRC_STORAGE_HDF5_LAYOUT_H_
#define DFRUN_SRC_STORAGE_HDF5_LAYOUT_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/file_version.h"
#include "src/storage/hdf5_library.h"

namespace dfrun {

struct Hdf5Layout {
  FileVersion file;
  std::map<std::string, DatasetInfo> datasets;
};

// Serializes one file's layout, as Hdf5Layouts keeps it.
std::string SerializeLayout(const Hdf5Layout& layout);
// Parses a layout; it is empty where `bytes` are none.
Hdf5Layout ParseLayout(const std::string& bytes);

// The layouts of an input's files, in their order, each serialized; empty where nothing is known. `host` is HostId() of
// the process that looked.
struct Hdf5Layouts {
  std::string host;
  std::vector<std::string> files;
};
std::string SerializeLayouts(const Hdf5Layouts& layouts);
// Returns layouts without files where `bytes` are none.
Hdf5Layouts ParseLayouts(const std::string& bytes);

}  // namespace dfrun

#endif  // DFRUN_SRC_STORAGE_HDF5_LAYOUT_H_
