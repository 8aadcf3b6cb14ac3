// The system calls of this process on files below a directory: recorded, so that a test can say what a crash would have
// left, and made to fail. The program's own definitions of open(), write() and so on stand before those of the C
// library.
#ifndef DFRUN_TESTS_UNIT_CHECKPOINT_FILE_CALLS_H_
#define DFRUN_TESTS_UNIT_CHECKPOINT_FILE_CALLS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace dfrun::testing {

// A call that changed something or made it durable.
struct FileCall {
  enum class Kind { kCreate, kMakeDirectory, kWrite, kTruncate, kSync, kRename, kExchange, kLink, kRemove, kMark };
  Kind kind = Kind::kMark;
  std::string path;     // below the directory, without a '/' at its begin; "" is the directory itself
  std::string to;       // kRename, kExchange and kLink
  uint64_t number = 0;  // kWrite: the offset; kTruncate: the size; kMark: what the test said
  std::string data;     // kWrite
};

// One at a time in a process. Syncs of what is watched are recorded and not made. Thread safety: any thread may make
// calls.
class FileCalls {
 public:
  // Watches from now on.
  explicit FileCalls(const std::string& directory);
  ~FileCalls();
  FileCalls(const FileCalls&) = delete;
  FileCalls& operator=(const FileCalls&) = delete;

  // The call number `index` from now on, from 0, fails with `error`, and so do all after it where `all` is set. Calls
  // that only read count as well.
  void Fail(int index, int error, bool all = false);
  // From now on renameat2() with flags fails with EINVAL, as on NFS.
  void RefuseRenameFlags();
  // Whether Fail() came to that.
  bool failed() const;
  void Mark(uint64_t number);

  const std::vector<FileCall>& changes() const;
};

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_CHECKPOINT_FILE_CALLS_H_
