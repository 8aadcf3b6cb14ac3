// The bytes of a file, in memory where it is small or compressed.
#ifndef DFRUN_KERNELS_IO_BYTE_FILE_H_
#define DFRUN_KERNELS_IO_BYTE_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/io/inflate.h"
#include "src/base/file.h"

namespace dfrun {

// Thread safety: const methods from any thread.
class ByteFile {
 public:
  // Files of at most `keep_bytes` bytes are read at once and kept; compressed ones always are. Errors name the path.
  static Result<ByteFile> Open(const std::string& path, Compression compression, size_t keep_bytes);

  const std::string& path() const { return file_.path(); }
  uint64_t size() const { return size_; }
  bool in_memory() const { return in_memory_; }
  const std::string& bytes() const { return bytes_; }  // where in_memory()
  Status ReadAt(uint64_t offset, void* data, size_t bytes) const { return file_.ReadAt(offset, data, bytes); }

 private:
  FileDescriptor file_;
  uint64_t size_ = 0;
  bool in_memory_ = false;
  std::string bytes_;
};

// Looks at parts of a file through one buffer. One that goes on where the last ended is read with what follows it.
// Thread safety: one thread.
class FileCursor {
 public:
  // The file outlives the cursor.
  explicit FileCursor(const ByteFile& file) : file_(&file) {}

  const ByteFile& file() const { return *file_; }
  // Bytes [offset, offset + bytes), valid until the next call. DataLoss where the file ends before them.
  Result<std::string_view> View(uint64_t offset, uint64_t bytes);
  // At least one byte from `offset` < size() on, and no more than a buffer: for searching.
  Result<std::string_view> Some(uint64_t offset);

 private:
  Status Fill(uint64_t offset, uint64_t bytes);

  const ByteFile* file_;
  std::string buffer_;
  uint64_t begin_ = 0;  // of the buffer, in the file
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_BYTE_FILE_H_
