// How a checkpoint's directory comes to stand under its name all at once, whatever other processes save under the same
// name. FORMAT.md has the steps and the crash argument.
#ifndef DFRUN_SRC_CHECKPOINT_DIRECTORY_COMMIT_H_
#define DFRUN_SRC_CHECKPOINT_DIRECTORY_COMMIT_H_

#include <string>
#include <utility>

#include "src/base/file.h"
#include "src/checkpoint/manifest.h"
#include "src/checkpoint/removable.h"

namespace dfrun {

// A checkpoint that is being written. It has a name of its own beside the one that it is to have, and goes where it is
// not committed; a process that is killed leaves it there.
// Thread safety: one thread at a time; files in the directory may be written by any process.
class NewDirectory {
 public:
  // Makes the directory, and those above it that are missing. kIo where something stands under the name `path` that
  // `rule` does not allow to be replaced; InvalidArgument for a name that no checkpoint can have, such as "..".
  static Result<NewDirectory> Begin(const std::string& path, RemovalRule rule);
  NewDirectory(NewDirectory&& other) noexcept
      : path_(std::exchange(other.path_, std::string())),
        target_(std::move(other.target_)),
        rule_(other.rule_),
        held_(std::move(other.held_)) {}
  NewDirectory& operator=(NewDirectory&&) = delete;
  ~NewDirectory();

  // Where the shards are to be written.
  const std::string& path() const { return path_; }
  // Writes index and manifest and makes this the checkpoint of its name, in place of one that stood there. After an
  // error that one still stands there, unless the error says otherwise. What cannot be removed of it is left, with a
  // warning.
  Status Commit(const Manifest& manifest);

 private:
  NewDirectory(std::string path, std::string target, RemovalRule rule, FileDescriptor held)
      : path_(std::move(path)), target_(std::move(target)), rule_(rule), held_(std::move(held)) {}

  std::string path_;  // empty: committed or moved from
  std::string target_;
  RemovalRule rule_;
  FileDescriptor held_;  // with a lock, where the file system has some: the directory is in use
};

// Where the committed checkpoint `path` is: there or, where a crash came between two renames, at `path`.old or
// `path`.old-HOST-PROCESS-NUMBER. NotFound otherwise; kIo where that cannot be known.
Result<std::string> FindDirectory(const std::string& path);

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_DIRECTORY_COMMIT_H_
