#include "src/hdf5/bytes_held.h"

#include <limits>

#include "src/hdf5/hdf5_rows.h"

namespace dfrun {

uint64_t BytesHeld(const h5::Handle& file, const std::string& path, const std::string& name) {
  constexpr uint64_t kUnknown = std::numeric_limits<uint64_t>::max();
  const Result<Hdf5Source> source = FindHdf5Source(file, path, name);
  const Result<h5::Handle> dataset = source.ok() ? h5::OpenDataset(file, path, source->dataset) : source.status();
  if (!dataset.ok()) return kUnknown;
  const h5::Handle layout(H5Dget_create_plist(dataset->id()));
  if (H5Pget_layout(layout.id()) == H5D_VIRTUAL || H5Pget_external_count(layout.id()) > 0) return kUnknown;
  const h5::Handle owner(H5Iget_file_id(dataset->id()));  // another file behind an external link
  hsize_t bytes = 0;
  return H5Fget_filesize(owner.id(), &bytes) < 0 ? kUnknown : bytes;
}

}  // namespace dfrun
