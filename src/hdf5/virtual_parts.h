// The other files that hold values of a dataset: parts of a virtual dataset, and external storage.
#ifndef DFRUN_SRC_HDF5_VIRTUAL_PARTS_H_
#define DFRUN_SRC_HDF5_VIRTUAL_PARTS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "src/hdf5/hdf5.h"

namespace dfrun {

// A virtual dataset may be made of others, and those of more.
inline constexpr int kMaxPartDepth = 16;
inline constexpr size_t kMaxParts = size_t{1} << 20;

struct VirtualPart {
  std::string file;     // name in the virtual dataset
  std::string dataset;  // in that file
  std::string path;     // path where HDF5 finds the file; empty: nowhere
  size_t mapping = 0;   // number in the layout
  bool is_own = false;  // whether it lies in the virtual dataset's own file
};

// Finds a file that the file `from` names, as HDF5 does: beside `from`, or from the working directory on; a file with
// an absolute path that is not there, by its last name. Nothing where HDF5 finds none.
std::optional<std::string> FindHdf5Target(const std::string& from, const std::string& name);

// Visits the parts of a virtual dataset of the file `from`, of which `layout` are the creation properties, until a
// visit fails. Of a pattern "part-%b.h5" these are the files that are there, one number after the other. DataLoss where
// the names of a part cannot be read.
Status VisitParts(const h5::Handle& layout, const std::string& from,
                  const std::function<Status(const VirtualPart&)>& visit);

// A file that holds values of a dataset without being an HDF5 file.
struct ExternalFile {
  std::string name;  // HDF5 finds it from the working directory on
  uint64_t offset = 0;
  uint64_t bytes = 0;  // from there on; the largest number: all that the dataset still lacks
};

// Visits the external files of a dataset of which `layout` are the creation properties, in their order, until a visit
// fails. DataLoss, with `what`, where one cannot be read.
Status VisitExternalFiles(const h5::Handle& layout, const std::string& what,
                          const std::function<Status(const ExternalFile&)>& visit);

}  // namespace dfrun

#endif  // DFRUN_SRC_HDF5_VIRTUAL_PARTS_H_
