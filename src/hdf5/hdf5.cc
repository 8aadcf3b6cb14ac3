#include "src/hdf5/hdf5.h"

#include <algorithm>
#include <string_view>

#include "src/base/text.h"
#include "src/storage/hdf5_library.h"

namespace dfrun::h5 {
namespace {

constexpr size_t kMaxAttributeBytes = 4096;
constexpr hsize_t kPageBytes = 4096;

// HDF5 writes addresses, sizes and the time of day around the system's error text; only that text helps the reader.
std::string OneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  constexpr std::string_view kSystem = "error message = '";
  const size_t said = text.find(kSystem);
  const size_t begin = said + kSystem.size();
  const size_t end = said == std::string::npos ? said : text.find('\'', begin);
  if (end == std::string::npos) return text;
  return text.substr(0, text.find(':')) + ": " + text.substr(begin, end - begin);
}

// The innermost message of HDF5's error stack.
std::string Reason() {
  std::string reason;
  auto visit = [](unsigned, const H5E_error2_t* entry, void* data) -> herr_t {
    auto& text = *static_cast<std::string*>(data);
    if (entry->desc != nullptr && text.empty()) text = entry->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, visit, &reason);
  H5Eclear2(H5E_DEFAULT);
  return reason.empty() ? "no reason given" : OneLine(reason);
}

// Appends to `data`, a vector of names.
herr_t AddDataset(hid_t group, const char* name, const H5L_info_t* link, void* data) {
  if (link->type != H5L_TYPE_HARD) return 0;
  H5O_info_t info;
  if (H5Oget_info_by_name(group, name, &info, H5P_DEFAULT) < 0) return -1;
  if (info.type == H5O_TYPE_DATASET) static_cast<std::vector<std::string>*>(data)->push_back(std::string("/") + name);
  return 0;
}

// Files are opened without locks: file systems may refuse them, and dfrun writes a file under a name of its own until
// the file is whole.
Handle FileAccessList() {
  Handle access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_file_locking(access.id(), /*use_file_locking=*/0, /*ignore_when_disabled=*/1);
  return access;
}

// The treatment of an existing file.
enum class Existing { kReplaced, kRefused };

Result<Handle> Create(const std::string& path, Existing existing) {
  Prepare();
  // The macros are used only here: they start the library, and one that has started before Prepare keeps its exit
  // handler.
  const unsigned mode = existing == Existing::kReplaced ? H5F_ACC_TRUNC : H5F_ACC_EXCL;
  Handle access = FileAccessList();
  H5Pset_libver_bounds(access.id(), H5F_LIBVER_V18, H5F_LIBVER_LATEST);
  // Values go to the file when they are written, where an error is seen. With this buffer the library would write them
  // when the dataset is closed, and drop them if that fails.
  H5Pset_sieve_buf_size(access.id(), 0);
  // Large data of a new file begins at a page, as FORMAT.md of checkpoints says.
  if (existing == Existing::kRefused) H5Pset_alignment(access.id(), kPageBytes, kPageBytes);
  const Handle creation = CreationList(H5P_FILE_CREATE);
  Handle file(H5Fcreate(path.c_str(), mode, creation.id(), access.id()));
  if (!file.valid()) return LastError(Code::kIo, "cannot create the HDF5 file " + path);
  return file;
}

}  // namespace

Handle::~Handle() {
  if (id_ < 0) return;
  switch (H5Iget_type(id_)) {
    case H5I_FILE:
      H5Fclose(id_);
      break;
    case H5I_GROUP:
      H5Gclose(id_);
      break;
    case H5I_DATASET:
      H5Dclose(id_);
      break;
    case H5I_DATASPACE:
      H5Sclose(id_);
      break;
    case H5I_DATATYPE:
      H5Tclose(id_);
      break;
    case H5I_ATTR:
      H5Aclose(id_);
      break;
    case H5I_GENPROP_LST:
      H5Pclose(id_);
      break;
    default:
      break;
  }
}

void Prepare() {
  static const bool prepared = [] {
    H5dont_atexit();
    H5open();
    return true;
  }();
  static_cast<void>(prepared);
  thread_local const bool silent = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;  // the setting is per thread
  static_cast<void>(silent);
}

Status LastError(Code code, const std::string& what) {
  return Error(code, what, ": ", Reason());
}

Result<Handle> OpenFile(const std::string& path) {
  Prepare();
  DF_TRY(CheckMayBeHdf5(path));
  const Handle access = FileAccessList();
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()));
  if (!file.valid()) return LastError(Code::kDataLoss, "cannot open " + path + " as an HDF5 file");
  return file;
}

Result<Handle> CreateFile(const std::string& path) {
  return Create(path, Existing::kReplaced);
}

Result<Handle> CreateNewFile(const std::string& path) {
  return Create(path, Existing::kRefused);
}

Status CloseFile(Handle file, const std::string& path) {
  if (H5Fclose(file.release()) < 0) return LastError(Code::kIo, "cannot finish writing " + path);
  return Status();
}

Handle CreationList(hid_t property_class) {
  Handle list(H5Pcreate(property_class));
  H5Pset_obj_track_times(list.id(), 0);
  return list;
}

Status MakeGroupsAbove(const Handle& file, const std::string& name) {
  for (size_t slash = name.find('/', 1); slash != std::string::npos; slash = name.find('/', slash + 1)) {
    const std::string group = name.substr(0, slash);
    const std::string_view last = std::string_view(group).substr(group.rfind('/') + 1);
    if (last.empty() || last == ".") continue;  // HDF5 takes it for the group above
    if (H5Lexists(file.id(), group.c_str(), H5P_DEFAULT) > 0) continue;
    const Handle creation = CreationList(H5P_GROUP_CREATE);
    const Handle made(H5Gcreate2(file.id(), group.c_str(), H5P_DEFAULT, creation.id(), H5P_DEFAULT));
    if (!made.valid()) return LastError(Code::kIo, "creating the group '" + group + "'");
  }
  return Status();
}

Result<Handle> OpenDataset(const Handle& file, const std::string& path, const std::string& name) {
  Prepare();
  Handle dataset(H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT));
  if (dataset.valid()) return dataset;
  H5Eclear2(H5E_DEFAULT);
  const Result<std::vector<std::string>> known = ListDatasets(file);
  return NotFound("there is no dataset '", name, "' in ", path,
                  known.ok() && !known->empty() ? "; it holds " + Join(*known) : "");
}

Result<std::vector<hsize_t>> DatasetDims(const Handle& dataset, const std::string& name) {
  Handle space(H5Dget_space(dataset.id()));
  if (!space.valid() || H5Sget_simple_extent_type(space.id()) == H5S_NULL) {
    return InvalidArgument("dataset '", name, "' holds no values");
  }
  const int rank = H5Sget_simple_extent_ndims(space.id());
  if (rank < 0) return LastError(Code::kDataLoss, "cannot read the sizes of dataset '" + name + "'");
  std::vector<hsize_t> dims(static_cast<size_t>(rank));
  H5Sget_simple_extent_dims(space.id(), dims.data(), nullptr);
  return dims;
}

std::string FileNameOf(const Handle& object) {
  const ssize_t length = std::max<ssize_t>(H5Fget_name(object.id(), nullptr, 0), 0);
  std::string name(static_cast<size_t>(length) + 1, '\0');  // the library ends it with a NUL
  H5Fget_name(object.id(), name.data(), name.size());
  name.resize(static_cast<size_t>(length));
  return name;
}

Result<std::vector<std::string>> ListDatasets(const Handle& file) {
  std::vector<std::string> names;
  if (H5Lvisit(file.id(), H5_INDEX_NAME, H5_ITER_INC, &AddDataset, &names) < 0) {
    return LastError(Code::kDataLoss, "cannot list the datasets");
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> FieldNames(const Handle& type) {
  std::vector<std::string> names;
  if (H5Tget_class(type.id()) != H5T_COMPOUND) return names;
  for (int i = 0; i < H5Tget_nmembers(type.id()); ++i) {
    char* const name = H5Tget_member_name(type.id(), static_cast<unsigned>(i));
    if (name == nullptr) continue;
    names.emplace_back(name);
    H5free_memory(name);
  }
  return names;
}

std::string ReadStringAttribute(const Handle& object, const char* name) {
  if (H5Aexists(object.id(), name) <= 0) return "";
  Handle attribute(H5Aopen(object.id(), name, H5P_DEFAULT));
  Handle type(H5Aget_type(attribute.id()));
  if (!attribute.valid() || H5Tget_class(type.id()) != H5T_STRING) return "";
  Handle space(H5Aget_space(attribute.id()));
  if (H5Sget_simple_extent_npoints(space.id()) != 1) return "";
  if (H5Tis_variable_str(type.id()) > 0) {
    char* text = nullptr;
    if (H5Aread(attribute.id(), type.id(), &text) < 0 || text == nullptr) return "";
    std::string value(text);
    H5free_memory(text);
    return value;
  }
  const size_t size = H5Tget_size(type.id());
  if (size > kMaxAttributeBytes) return "";
  std::string value(size, '\0');
  if (H5Aread(attribute.id(), type.id(), value.data()) < 0) return "";
  return value.substr(0, value.find('\0'));
}

Status WriteStringAttribute(const Handle& object, const char* name, const std::string& value) {
  Handle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.id(), std::max<size_t>(value.size(), 1));
  H5Tset_strpad(type.id(), H5T_STR_NULLPAD);
  Handle space(H5Screate(H5S_SCALAR));
  Handle attribute(H5Acreate2(object.id(), name, type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT));
  if (!attribute.valid() || H5Awrite(attribute.id(), type.id(), value.c_str()) < 0) {
    return LastError(Code::kIo, std::string("cannot write the attribute '") + name + "'");
  }
  return Status();
}

}  // namespace dfrun::h5
