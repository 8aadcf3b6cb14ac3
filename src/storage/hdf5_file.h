// Reads an HDF5 file that may come from anyone.
//
// HDF5 crashes on damaged files, and on files that are made to have it crash. So a child process opens the file
// (src/storage/hdf5_helpers.h), with limits on its memory and time, and describes its content; the description is
// believed as far as the file's size allows. This process reads contiguous elements itself, at full speed, by pread();
// the child unpacks and sends all others.
#ifndef DFRUN_SRC_STORAGE_HDF5_FILE_H_
#define DFRUN_SRC_STORAGE_HDF5_FILE_H_

#include <map>
#include <memory>
#include <string>

#include "src/base/file.h"
#include "src/storage/hdf5_helpers.h"
#include "src/storage/hdf5_layout.h"

namespace dfrun {

// Thread safety: one thread at a time, but bytes().
class Hdf5File {
 public:
  // Opens a file. NotFound where there is no file, kIo where it cannot be read; DataLoss where it is no file of bytes.
  // The first request for a dataset finds whether it is an HDF5 file. `helpers`: the processes to ask, which files may
  // share; null: its own.
  static Result<std::unique_ptr<Hdf5File>> Open(const std::string& path, const Hdf5Rules& rules,
                                                std::shared_ptr<Hdf5Helpers> helpers = nullptr);
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  const std::string& path() const { return file_.path; }
  const FileDescriptor& bytes() const { return bytes_; }
  // Closes bytes(); no contiguous dataset may be read afterwards.
  void CloseBytes() { bytes_ = FileDescriptor(); }

  // Whether it is an HDF5 file; known where anything has been found in it.
  Status Look() { return infos_.empty() ? helpers_->Open(file_) : Status(); }
  Result<std::vector<std::string>> List() { return helpers_->List(file_); }
  // Inspects like Hdf5Helpers::Inspect(), and keeps the answer. Contiguous elements lie within the file.
  Result<DatasetInfo> Inspect(const std::string& dataset);
  Result<Tensor> Read(const std::string& dataset, Allocator& allocator);
  Status ReadRows(const std::string& dataset, int64_t begin, Tensor& to);

  // The answers of Inspect() so far, for Know() of the same file.
  Hdf5Layout layout() const { return {version_, infos_}; }
  // Takes the findings of another process of this host; ignores them where the file is another or has changed.
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

#endif  // DFRUN_SRC_STORAGE_HDF5_FILE_H_
