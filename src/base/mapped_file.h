// The bytes of a file as memory, shared with all processes of the host that map it.
#ifndef DFRUN_SRC_BASE_MAPPED_FILE_H_
#define DFRUN_SRC_BASE_MAPPED_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "src/base/file.h"

namespace dfrun {

// Reading beyond the end of a file that has become shorter, or from a disk that fails, is a SIGBUS where the file is
// memory. A handler of this class puts zeros in the place of what is gone, and Check() tells: who has read asks it
// before the bytes are used. SIGBUS from elsewhere goes to the handler that was there before. Thread safety: const
// methods from any thread.
class MappedFile {
 public:
  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(other.size_), slot_(other.slot_) {}
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  // The first `size` > 0 bytes of a file. Nothing is mapped, which is no error, where the system cannot: too many files
  // are mapped already, or the file system does not know how.
  static MappedFile Map(const FileDescriptor& file, uint64_t size);

  bool is_mapped() const { return data_ != nullptr; }
  std::string_view bytes() const { return {data_, size_}; }
  // Asks the system to bring bytes [begin, begin + bytes) into memory, and returns at once; Touch() waits for it.
  void ReadAhead(size_t begin, size_t bytes) const;
  void Touch(size_t begin, size_t bytes) const;
  // DataLoss if the file has become shorter since Map(), or could not be read: what was read since may be zeros.
  // `file` is Map()'s.
  Status Check(const FileDescriptor& file) const;

 private:
  const char* data_ = nullptr;
  size_t size_ = 0;
  size_t slot_ = 0;  // of the mappings that the handler knows
};

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_MAPPED_FILE_H_
