// The recorder of this process's system calls on files below a directory. A test can compute from the record what a
// crash would have left, and can make calls fail. The program defines open(), write() and so on itself, which take
// precedence over those of the C library.
#ifndef DFRUN_TESTS_UNIT_CHECKPOINT_FILE_CALLS_H_
#define DFRUN_TESTS_UNIT_CHECKPOINT_FILE_CALLS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace dfrun::testing {

// A call that changed something or made it durable.
struct FileCall {
  enum class Kind {
    kCreate,
    kMakeDirectory,
    kWrite,
    kTruncate,
    kSync,
    kRename,
    kExchange,
    kLink,
    kSymlink,
    kRemove,
    kMark
  };
  Kind kind = Kind::kMark;
  std::string path;     // relative to the directory, without a leading '/'; "" is the directory itself
  std::string to;       // used by kRename, kExchange and kLink
  uint64_t number = 0;  // kWrite: the offset; kTruncate: the size; kMark: the test's number
  std::string data;     // used by kWrite, and by kSymlink for the link's text
};

// Records the calls. A process has one at a time. Syncs below the directory are recorded and not made.
// Thread safety: any thread may make calls.
class FileCalls {
 public:
  // Starts to record.
  explicit FileCalls(const std::string& directory);
  ~FileCalls();
  FileCalls(const FileCalls&) = delete;
  FileCalls& operator=(const FileCalls&) = delete;

  // Makes the call number `index` from now on, from 0, fail with `error`, and all after it too if `all` is set. Calls
  // that only read count as well.
  void Fail(int index, int error, bool all = false);
  // Makes renameat2() with flags fail with EINVAL from now on, as on NFS.
  void RefuseRenameFlags();
  // Returns whether a call has failed because of Fail().
  bool failed() const;
  void Mark(uint64_t number);

  const std::vector<FileCall>& changes() const;
};

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_CHECKPOINT_FILE_CALLS_H_
