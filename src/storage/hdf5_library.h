// HDF5 files by the library HDF5, which is linked to a part of the program (src/hdf5/) that is opened at its first use:
// with its own dependencies it can be thirty libraries, and ranks that neither write nor unpack a file start without
// them.
//
// Hdf5File (hdf5_file.h) reads files that may come from anyone instead.
#ifndef DFRUN_SRC_STORAGE_HDF5_LIBRARY_H_
#define DFRUN_SRC_STORAGE_HDF5_LIBRARY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/status.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

struct DatasetInfo {
  DType dtype = DType::kInvalid;
  Shape shape;
  bool contiguous = false;  // the bytes lie at `offset` of the file in this machine's layout
  uint64_t offset = 0;
  bool holds_lists = false;     // an element is a list of this dtype; its lengths and its values are read
  int64_t chunk_rows = 0;       // rows of the first dimension that are stored, and unpacked, together; 0: not in chunks
  uint64_t unpacked_bytes = 0;  // size of all elements in memory, without the bytes of strings and lists
};

// Returns the bytes of all elements, which are of a plain dtype; UINT64_MAX where there are as many or more.
uint64_t BytesOf(const DatasetInfo& info);

// Lists, each of its own length, have two tensors: NAME:lengths, int64, one a list, and NAME:values, all of them one
// after the other.
inline constexpr std::string_view kListLengths = ":lengths";
inline constexpr std::string_view kListValues = ":values";

// Rules for the links of an HDF5 file that may come from anyone.
struct Hdf5Rules {
  // A checkpoint's shard: contiguous datasets of the file itself, by names that are no links; the file is no link
  // either.
  bool is_shard = false;
  // External links, virtual datasets and external storage, wherever they lead; else only below the directory of the
  // file and below `roots`.
  bool follows_all = false;
  std::vector<std::string> roots = {};

  friend bool operator==(const Hdf5Rules&, const Hdf5Rules&) = default;
};

// Looks into a file. Thread safety: one thread at a time.
class Hdf5Structure {
 public:
  virtual ~Hdf5Structure() = default;
  // The paths of all datasets, in their order.
  virtual Result<std::vector<std::string>> List() = 0;
  // Describes a dataset. InvalidArgument for an HDF5 type that stands for no dtype; NotFound lists the datasets.
  virtual Result<DatasetInfo> Inspect(const std::string& dataset) = 0;
  // Into all of `to`, of the dtype and shape that Inspect() gave.
  virtual Status Read(const std::string& dataset, Tensor& to) = 0;
  // Rows [begin, begin + to's rows) of the first dimension.
  virtual Status ReadRows(const std::string& dataset, int64_t begin, Tensor& to) = 0;
  // Bytes of the file that the dataset's elements lie in; UINT64_MAX where they are those of several files (virtual
  // datasets, external storage), and where nothing is known.
  virtual uint64_t BytesHeld(const std::string& dataset) = 0;
};

// Writes a new file. Thread safety: one thread at a time.
class Hdf5Writer {
 public:
  virtual ~Hdf5Writer() = default;
  // A new dataset with its groups; contiguous, allocated early. With `write_bytes` false plain elements are left for
  // the caller to write at `offset` after Close().
  virtual Result<DatasetInfo> Write(const std::string& dataset, const Tensor& value, bool write_bytes = true) = 0;
  // A dataset with its groups that shows the values of the one of this name in another file, whose path begins at this
  // one's folder. While there is no such file, it shows NaN, the lowest signed or the greatest unsigned integer. Of
  // strings it is a link.
  virtual Status Show(const std::string& file, const std::string& dataset, DType dtype, const Shape& shape) = 0;
  // An attribute of the root group.
  virtual Status SetAttribute(const char* name, const std::string& value) = 0;
  // Closes the file; an error says what could not be written. No method may be called after it.
  virtual Status Close() = 0;
};

// Thread safety: methods from any thread; HDF5 has one global lock.
class Hdf5Library {
 public:
  virtual ~Hdf5Library() = default;
  virtual std::string version() const = 0;
  // A file opened in this process, which one that is made so may crash. NotFound where there is none; DataLoss where it
  // is no HDF5 file or is damaged.
  virtual Result<std::unique_ptr<Hdf5Structure>> Open(const std::string& path, const Hdf5Rules& rules) const = 0;
  // Replaces a file of this name.
  virtual Result<std::unique_ptr<Hdf5Writer>> Create(const std::string& path) const = 0;
  // Datasets of 4,096 bytes and more begin at a multiple of that. kIo where the name is taken, if only by a link.
  virtual Result<std::unique_ptr<Hdf5Writer>> CreateNew(const std::string& path) const = 0;
};

// Opens the part at the first call. A program that writes only hours later calls it at once: its files may be replaced
// by then. FailedPrecondition says what the loader lacks.
Result<const Hdf5Library*> LoadHdf5();

// Returns NotFound where there is no file, DataLoss where it is a directory or a pipe, kIo where it may not be read.
Status CheckMayBeHdf5(const std::string& path);

}  // namespace dfrun

#endif  // DFRUN_SRC_STORAGE_HDF5_LIBRARY_H_
