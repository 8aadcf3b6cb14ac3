// A file mapped into memory, which all processes of the host that map it share.
#ifndef DFRUN_SRC_BASE_MAPPED_FILE_H_
#define DFRUN_SRC_BASE_MAPPED_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "src/base/file.h"

namespace dfrun {

// A read beyond the end of a file that has become shorter, or from a disk that fails, raises SIGBUS. A handler of this
// class then maps zeros there, and Check() reports it: a reader calls Check() before it uses the bytes. A SIGBUS from
// elsewhere goes to the handler that was installed before.
// Thread safety: const methods from any thread.
class MappedFile {
 public:
  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(other.size_),
        slot_(other.slot_),
        device_(other.device_),
        inode_(other.inode_) {}
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  // Maps the first `size` > 0 bytes of a file. The result is empty, which is no error, where too many files are mapped
  // already or the file system cannot map.
  static MappedFile Map(const FileDescriptor& file, uint64_t size);

  bool is_mapped() const { return data_ != nullptr; }
  std::string_view bytes() const { return {data_, size_}; }
  // Asks the system to bring bytes [begin, begin + bytes) into memory, and returns at once; Touch() waits for it.
  void ReadAhead(size_t begin, size_t bytes) const;
  void Touch(size_t begin, size_t bytes) const;
  // Returns DataLoss if the file has become shorter since Map(), or could not be read: bytes read since may be zeros.
  // `file` is Map()'s.
  Status Check(const FileDescriptor& file) const;
  // Checks likewise, by its path, when Map()'s file has been closed. Another file that has this path by now is no
  // error.
  Status Check(const std::string& path) const;

 private:
  Status CheckSize(const std::string& path, uint64_t size) const;

  const char* data_ = nullptr;
  size_t size_ = 0;
  size_t slot_ = 0;  // index among the mappings that the handler knows
  uint64_t device_ = 0;
  uint64_t inode_ = 0;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_MAPPED_FILE_H_
