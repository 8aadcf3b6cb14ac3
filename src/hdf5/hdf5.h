// HDF5's C API in owning handles, every return checked. Include it in few files: it brings hdf5.h.
//
// Thread safety: the library has one global lock; a handle is for one thread at a time.
#ifndef DFRUN_SRC_HDF5_HDF5_H_
#define DFRUN_SRC_HDF5_HDF5_H_

#include <hdf5.h>

#include <string>
#include <utility>
#include <vector>

#include "src/base/status.h"

namespace dfrun::h5 {

// An HDF5 identifier of any kind.
// Owns: the identifier, which it closes by its kind.
class Handle {
 public:
  Handle() = default;
  explicit Handle(hid_t id) : id_(id) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Handle();
  hid_t id() const { return id_; }
  bool valid() const { return id_ >= 0; }
  hid_t release() { return std::exchange(id_, -1); }

 private:
  hid_t id_ = -1;
};

// Switches off the library's exit handler (it crashes after a full disk) and its printing. Called by every Open and
// Create below; cheap when repeated. The handler can only be switched off before the library starts, and many macros of
// hdf5.h, H5F_ACC_TRUNC too, start it: use none of them before this call.
void Prepare();

// Returns an error with HDF5's own reason. `what`: the action that failed, with the path.
Status LastError(Code code, const std::string& what);

// Returns NotFound where there is no file; DataLoss where it is no HDF5 file or is damaged.
Result<Handle> OpenFile(const std::string& path);
// Replaces a file of this name.
Result<Handle> CreateFile(const std::string& path);
// Creates a file whose datasets of a page and more begin at a multiple of 4,096 bytes; kIo where the name is taken, if
// only by a link.
Result<Handle> CreateNewFile(const std::string& path);
// Closes the file; the error of a write may come only here.
Status CloseFile(Handle file, const std::string& path);

// A list of properties for the creation of an object of this class, which keeps no time: equal content makes equal
// files.
Handle CreationList(hid_t property_class);
// Creates the groups that lie above an object of this name and are not there.
Status MakeGroupsAbove(const Handle& file, const std::string& name);

// NotFound lists the datasets of the file.
Result<Handle> OpenDataset(const Handle& file, const std::string& path, const std::string& name);
// The dataset's sizes, none for a scalar. InvalidArgument for a null dataspace.
Result<std::vector<hsize_t>> DatasetDims(const Handle& dataset, const std::string& name);
// The name of the file that an object lies in, as it was opened; empty where there is none.
std::string FileNameOf(const Handle& object);
// The paths of all datasets of the file, sorted; links out of the file are left out.
Result<std::vector<std::string>> ListDatasets(const Handle& file);

// The names of a table's fields in its order; none for another type.
std::vector<std::string> FieldNames(const Handle& type);

// The value of a string attribute; empty if the object lacks it.
std::string ReadStringAttribute(const Handle& object, const char* name);
Status WriteStringAttribute(const Handle& object, const char* name, const std::string& value);

}  // namespace dfrun::h5

#endif  // DFRUN_SRC_HDF5_HDF5_H_
