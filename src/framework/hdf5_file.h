// Reading an HDF5 file that may be anyone's.
//
// HDF5 crashes on damaged files, and on those that are made to have it crash. So a child process opens the file
// (src/framework/hdf5_helper.h), with limits on its memory and time, and says what is in it; what it says is believed
// as far as the file's size allows. This process reads contiguous elements itself, at full speed, by pread(); others
// the child unpacks and sends.
#ifndef DFRUN_SRC_FRAMEWORK_HDF5_FILE_H_
#define DFRUN_SRC_FRAMEWORK_HDF5_FILE_H_

#include <memory>
#include <string>

#include "src/base/file.h"
#include "src/framework/hdf5_library.h"

namespace dfrun {

// Thread safety: one thread at a time, but bytes().
class Hdf5File {
 public:
  // NotFound where there is no file, kIo where it cannot be read; DataLoss where it is no HDF5 file, is damaged, or
  // takes more memory or time to open than a file may. Blocks.
  static Result<std::unique_ptr<Hdf5File>> Open(const std::string& path, const Hdf5Rules& rules);
  ~Hdf5File();
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  const std::string& path() const { return bytes_.path(); }
  const FileDescriptor& bytes() const { return bytes_; }

  // As of an Hdf5Structure. Contiguous elements lie within the file.
  Result<DatasetInfo> Inspect(const std::string& dataset);
  Result<Tensor> Read(const std::string& dataset, Allocator& allocator);
  Status ReadRows(const std::string& dataset, int64_t begin, Tensor& to);
  // Ends the child: nothing but bytes() is asked for any more.
  void CloseStructure();

 private:
  Hdf5File(FileDescriptor bytes, std::unique_ptr<Hdf5Structure> structure);
  Status CheckInfo(const std::string& dataset, DatasetInfo& info) const;
  Status ReadInBlocks(const std::string& dataset, const DatasetInfo& info, Tensor& to);

  const FileDescriptor bytes_;
  std::unique_ptr<Hdf5Structure> structure_;  // the child, or in a program that has none this process
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_HDF5_FILE_H_
