#include "src/hdf5/storage_check.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "src/base/text.h"
#include "src/hdf5/hdf5_type.h"
#include "src/hdf5/virtual_parts.h"

namespace dfrun {
namespace {

using h5::Handle;

std::string SizesText(const std::vector<hsize_t>& sizes) {
  std::vector<std::string> texts;
  for (const hsize_t size : sizes) texts.push_back(std::to_string(size));
  return StrCat("[", Join(texts, ", "), "]");
}

std::vector<hsize_t> SizesOf(const Handle& space) {
  std::vector<hsize_t> sizes(static_cast<size_t>(std::max(0, H5Sget_simple_extent_ndims(space.id()))));
  H5Sget_simple_extent_dims(space.id(), sizes.data(), nullptr);
  return sizes;
}

// Describes the fault in the sizes of a part, of which a mapping of a virtual dataset takes a selection; empty: none.
std::string SizesError(const Handle& layout, size_t mapping, const std::vector<hsize_t>& sizes) {
  const Handle wanted(H5Pget_virtual_srcspace(layout.id(), mapping));
  if (H5Sget_select_type(wanted.id()) == H5S_SEL_ALL) {
    const Handle to(H5Pget_virtual_vspace(layout.id(), mapping));
    const hssize_t elements = H5Sget_select_npoints(to.id());
    const hsize_t own = std::accumulate(sizes.begin(), sizes.end(), hsize_t{1}, std::multiplies<>());
    const bool has_all = elements < 0 || own == static_cast<hsize_t>(elements);  // HDF5 itself checks an unlimited one
    return has_all ? "" : StrCat("and not ", elements, " elements");
  }
  const auto rank = static_cast<size_t>(std::max(0, H5Sget_simple_extent_ndims(wanted.id())));
  if (rank != sizes.size()) return StrCat("and not ", rank, " dimensions");
  std::vector<hsize_t> first(rank);
  std::vector<hsize_t> last(rank);
  if (H5Sget_select_bounds(wanted.id(), first.data(), last.data()) < 0) {
    H5Eclear2(H5E_DEFAULT);
    return "";  // the selection takes all there is
  }
  for (size_t d = 0; d < rank; ++d) {
    if (last[d] != H5S_UNLIMITED && last[d] >= sizes[d])
      return StrCat("of which ", SizesText(first), " to ", SizesText(last), " is wanted");
  }
  return "";
}

bool IsConverted(const Handle& from, const Handle& to) {
  H5T_cdata_t* data = nullptr;
  const bool is_converted = H5Tequal(from.id(), to.id()) > 0 || H5Tfind(from.id(), to.id(), &data) != nullptr;
  if (!is_converted) H5Eclear2(H5E_DEFAULT);
  return is_converted;
}

// One call of CheckStorage().
class StorageCheck {
 public:
  StorageCheck(const std::string& path, const std::string& name) : what_(StrCat("dataset '", name, "' of ", path)) {}

  Status Check(const Handle& dataset, const std::string& path) {
    const Handle layout(H5Dget_create_plist(dataset.id()));
    DF_TRY(CheckFilters(layout));
    DF_TRY(CheckExternal(dataset, layout));
    if (H5Pget_layout(layout.id()) != H5D_VIRTUAL) return Status();
    if (++depth_ > kMaxPartDepth)
      return Error(Code::kDataLoss, what_, " is made of parts that are made of parts, too deep");
    const std::string owner = h5::FileNameOf(dataset);  // another than `path` behind an external link
    const std::string& from = owner.empty() ? path : owner;
    DF_TRY(VisitParts(layout, from, [&](const VirtualPart& part) { return CheckPart(dataset, layout, from, part); }));
    --depth_;
    return Status();
  }

 private:
  Status CheckFilters(const Handle& layout) const {
    for (int i = 0; i < H5Pget_nfilters(layout.id()); ++i) {
      unsigned flags = 0;
      size_t values = 0;
      char filter[64] = {};
      const H5Z_filter_t id = H5Pget_filter2(layout.id(), static_cast<unsigned>(i), &flags, &values, nullptr,
                                             sizeof filter, filter, nullptr);
      if (id < 0 || H5Zfilter_avail(id) > 0) continue;
      return InvalidArgument(
          what_, " is packed by the HDF5 filter ", id, " ", filter[0] != '\0' ? filter : "without a name",
          ", which is not installed here: ", "install its plugin, or repack the file (h5repack -f NONE)");
    }
    return Status();
  }

  // HDF5 reads zeros behind the end of a file. Where the environment says where files lie, HDF5 finds them alone.
  Status CheckExternal(const Handle& dataset, const Handle& layout) const {
    if (std::getenv("HDF5_EXTFILE_PREFIX") != nullptr) return Status();
    const Handle type(H5Dget_type(dataset.id()));
    const Handle space(H5Dget_space(dataset.id()));
    uint64_t left =
        static_cast<uint64_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space.id()))) * H5Tget_size(type.id());
    return VisitExternalFiles(layout, what_, [&](const ExternalFile& file) -> Status {
      const uint64_t here = std::min(left, file.bytes);
      left -= here;
      std::error_code error;
      const uint64_t bytes = std::filesystem::file_size(file.name, error);
      const uint64_t end = file.offset + here;
      if (error)
        return Error(Code::kNotFound, what_, " keeps its values in the file ", file.name, ", which is not there");
      if (bytes >= end) return Status();
      return Error(Code::kDataLoss, what_, " keeps its values in the file ", file.name, ", which has ", bytes,
                   " bytes and should have ", end);
    });
  }

  template <class... Args>
  Status Odd(Code code, const Args&... args) const {
    return Error(code, what_, " is made of parts, and ", args...);
  }

  Status CheckPart(const Handle& dataset, const Handle& layout, const std::string& from, const VirtualPart& part) {
    if (part.is_own) return CheckPartOf(Handle(H5Iget_file_id(dataset.id())), from, dataset, layout, part);
    if (part.path.empty()) return Odd(Code::kNotFound, "the file '", part.file, "' of one is not there");
    const Result<Handle> file = h5::OpenFile(part.path);
    if (!file.ok()) return Odd(Code::kDataLoss, "one cannot be read: ", file.status().message());
    return CheckPartOf(*file, part.path, dataset, layout, part);
  }

  Status CheckPartOf(const Handle& file, const std::string& path, const Handle& whole, const Handle& layout,
                     const VirtualPart& part) {
    const Result<Handle> dataset = h5::OpenDataset(file, path, part.dataset);
    if (!dataset.ok()) return Odd(Code::kDataLoss, "one cannot be read: ", dataset.status().message());
    const std::string named = StrCat("one, '", part.dataset, "' of ", path, ", ");
    const Handle type(H5Dget_type(dataset->id()));
    const Handle whole_type(H5Dget_type(whole.id()));
    if (!IsConverted(type, whole_type)) {
      return Odd(Code::kDataLoss, named, "is ", h5::TypeText(type), ", not ", h5::TypeText(whole_type));
    }
    const std::vector<hsize_t> sizes = SizesOf(Handle(H5Dget_space(dataset->id())));
    const std::string wrong = SizesError(layout, part.mapping, sizes);
    if (!wrong.empty()) return Odd(Code::kDataLoss, named, "has the shape ", SizesText(sizes), ", ", wrong);
    if (!seen_.insert({path, part.dataset}).second) return Status();
    return Check(*dataset, path);
  }

  const std::string what_;
  std::set<std::pair<std::string, std::string>> seen_;
  int depth_ = 0;
};

}  // namespace

Status CheckStorage(const Handle& dataset, const std::string& path, const std::string& name) {
  return StorageCheck(path, name).Check(dataset, path);
}

}  // namespace dfrun
