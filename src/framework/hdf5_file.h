// Reading an HDF5 file that may be anyone's.
//
// HDF5 crashes on damaged files, and on those that are made to have it crash. So a child process opens the file
// (src/framework/hdf5_helpers.h), with limits on its memory and time, and says what is in it; what it says is believed
// as far as the file's size allows. This process reads contiguous elements itself, at full speed, by pread(); others
// the child unpacks and sends.
#ifndef DFRUN_SRC_FRAMEWORK_HDF5_FILE_H_
#define DFRUN_SRC_FRAMEWORK_HDF5_FILE_H_

#include <map>
#include <memory>
#include <string>

#include "src/base/file.h"
#include "src/framework/hdf5_helpers.h"
#include "src/framework/hdf5_layout.h"

namespace dfrun {

// Thread safety: one thread at a time, but bytes().
class Hdf5File {
 public:
  // NotFound where there is no file, kIo where it cannot be read; DataLoss where it is no file of bytes. Whether it is
  // an HDF5 file is found when a dataset is asked for. `helpers`, which files may share: whom to ask; null: its own.
  static Result<std::unique_ptr<Hdf5File>> Open(const std::string& path, const Hdf5Rules& rules,
                                                std::shared_ptr<Hdf5Helpers> helpers = nullptr);
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  const std::string& path() const { return file_.path; }
  const FileDescriptor& bytes() const { return bytes_; }
  // Nothing contiguous is read any more, and bytes() is closed.
  void CloseBytes() { bytes_ = FileDescriptor(); }

  // Whether it is an HDF5 file; known where anything has been found in it.
  Status Look() { return infos_.empty() ? helpers_->Open(file_) : Status(); }
  // Inspects like Hdf5Helpers::Inspect(), and keeps the answer. Contiguous elements lie within the file.
  Result<DatasetInfo> Inspect(const std::string& dataset);
  Result<Tensor> Read(const std::string& dataset, Allocator& allocator);
  Status ReadRows(const std::string& dataset, int64_t begin, Tensor& to);

  // The answers of Inspect() so far, for Know() of the same file.
  Hdf5Layout layout() const { return {version_, infos_}; }
  // Takes what another process of this host has found; nothing where the file is another or has changed.
  void Know(const Hdf5Layout& layout);

 private:
  Hdf5File(FileDescriptor bytes, const FileVersion& version, Hdf5Path file, std::shared_ptr<Hdf5Helpers> helpers);
  Status CheckInfo(const std::string& dataset, DatasetInfo& info) const;
  Status ReadInBlocks(const std::string& dataset, const DatasetInfo& info, Tensor& to);

  FileDescriptor bytes_;
  const FileVersion version_;
  const Hdf5Path file_;
  const std::shared_ptr<Hdf5Helpers> helpers_;
  std::map<std::string, DatasetInfo> infos_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_HDF5_FILE_H_
