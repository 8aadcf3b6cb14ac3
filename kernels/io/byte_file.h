// The bytes of a file, in memory where it is small or compressed.
#ifndef DFRUN_KERNELS_IO_BYTE_FILE_H_
#define DFRUN_KERNELS_IO_BYTE_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/io/inflate.h"
#include "src/base/file.h"
#include "src/base/mapped_file.h"

namespace dfrun {

// Thread safety: const methods from any thread.
class ByteFile {
 public:
  // Files of at most `map_bytes` bytes are mapped; compressed ones are always inflated. Errors name the path.
  static Result<ByteFile> Open(const std::string& path, Compression compression, size_t map_bytes);
  static Result<ByteFile> Open(FileDescriptor file, Compression compression, size_t map_bytes);

  const std::string& path() const { return file_.path(); }
  uint64_t size() const { return size_; }
  bool in_memory() const { return in_memory_; }
  std::string_view bytes() const {  // only if in_memory()
    return mapped_.is_mapped() ? mapped_.bytes() : std::string_view(inflated_);
  }
  // Advises the system to bring the mapped bytes into memory, and returns at once; Touch() waits for it.
  void ReadAhead() const { mapped_.ReadAhead(0, mapped_.bytes().size()); }
  void Touch() const { mapped_.Touch(0, mapped_.bytes().size()); }
  Status ReadAt(uint64_t offset, void* data, size_t bytes) const { return file_.ReadAt(offset, data, bytes); }
  // A caller that has read from memory checks before it uses the bytes: DataLoss where the file has become shorter.
  Status Check() const { return mapped_.Check(file_); }

 private:
  FileDescriptor file_;
  uint64_t size_ = 0;
  bool in_memory_ = false;
  MappedFile mapped_;
  std::string inflated_;
};

// Looks at parts of a file through one buffer. A part that begins where the last one ended is read together with the
// bytes behind it.
// Thread safety: one thread.
class FileCursor {
 public:
  // The file outlives the cursor.
  explicit FileCursor(const ByteFile& file) : file_(&file) {}

  const ByteFile& file() const { return *file_; }
  // Bytes [offset, offset + bytes), valid until the next call. DataLoss where the file ends before them.
  Result<std::string_view> View(uint64_t offset, uint64_t bytes);
  // Prefetches the bytes that a later View() will read, if the file is in memory.
  void Prefetch(uint64_t offset, uint64_t bytes) const;
  // Reads at least one byte from `offset` < size() on, and no more than a buffer: for searching.
  Result<std::string_view> Some(uint64_t offset);

 private:
  Status Fill(uint64_t offset, uint64_t bytes);

  const ByteFile* file_;
  std::string buffer_;
  uint64_t begin_ = 0;  // offset of the buffer in the file
};

// DataLoss where the file begins as those of gzip do.
Status CheckNotZipped(FileCursor& file);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_BYTE_FILE_H_
