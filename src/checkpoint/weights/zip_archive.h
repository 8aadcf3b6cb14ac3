// Reads ZIP archives whose members are stored or deflated, with sizes of 64 bits.
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
#ifndef DFRUN_SRC_CHECKPOINT_WEIGHTS_ZIP_ARCHIVE_H_
#define DFRUN_SRC_CHECKPOINT_WEIGHTS_ZIP_ARCHIVE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/base/file.h"

namespace dfrun {

// The archive may be anyone's: offsets and sizes are checked against the file's before memory is taken.
// Thread safety: const methods from any thread.
class ZipArchive {
 public:
  struct Member {
    std::string name;
    uint64_t bytes = 0;  // size of its content
    uint64_t compressed_bytes = 0;
    uint64_t header = 0;  // where its local header is in the file
    uint32_t crc32 = 0;
    bool is_deflated = false;
    std::string odd = {};  // why it cannot be read; empty: it can
  };

  // Reads the directory of an archive. DataLoss where it is damaged.
  static Result<ZipArchive> Open(const std::string& path);

  const std::string& path() const { return file_.path(); }
  const std::vector<Member>& members() const { return members_; }
  // The first bytes of a member's content, at most `bytes`.
  Result<std::string> ReadBegin(const Member& member, size_t bytes) const;
  // All of a member's content, checked by its crc32.
  Result<std::string> Read(const Member& member) const;

 private:
  ZipArchive(FileDescriptor file, uint64_t size) : file_(std::move(file)), size_(size) {}
  Status FindDirectory(uint64_t& offset, uint64_t& bytes, uint64_t& count) const;
  Status ReadDirectory();
  Result<uint64_t> ContentAt(const Member& member) const;
  Result<std::string> Inflate(const Member& member, uint64_t at, uint64_t bytes) const;
  Status Damaged(const std::string& why) const;

  FileDescriptor file_;
  uint64_t size_;
  std::vector<Member> members_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_WEIGHTS_ZIP_ARCHIVE_H_
