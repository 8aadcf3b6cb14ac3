// Gives a checkpoint's directory its name in one step, whatever other processes save under the same name. FORMAT.md has
// the steps and the crash argument.
#ifndef DFRUN_SRC_CHECKPOINT_DIRECTORY_COMMIT_H_
#define DFRUN_SRC_CHECKPOINT_DIRECTORY_COMMIT_H_

#include <string>
#include <utility>

#include "src/base/file.h"
#include "src/checkpoint/manifest.h"
#include "src/checkpoint/removable.h"

namespace dfrun {

// A checkpoint that is being written. Until the commit its directory has a temporary name beside the final one. The
// destructor removes a directory that was not committed; a process that is killed leaves it.
// Thread safety: one thread at a time; files in the directory may be written by any process.
class NewDirectory {
 public:
  // Makes the directory and its missing parents. kIo where the name `path` is taken by something that `rule` does not
  // allow to replace; InvalidArgument for a name that no checkpoint can have, such as "..".
  static Result<NewDirectory> Begin(const std::string& path, RemovalRule rule);
  NewDirectory(NewDirectory&& other) noexcept
      : path_(std::exchange(other.path_, std::string())),
        target_(std::move(other.target_)),
        rule_(other.rule_),
        held_(std::move(other.held_)) {}
  NewDirectory& operator=(NewDirectory&&) = delete;
  ~NewDirectory();

  // The directory that the shards are written to.
  const std::string& path() const { return path_; }
  // Writes index and manifest and gives the directory its final name, replacing an earlier checkpoint. After an error
  // the earlier one still has the name, unless the error says otherwise. Files of it that cannot be removed are left,
  // with a warning.
  Status Commit(const Manifest& manifest);

 private:
  NewDirectory(std::string path, std::string target, RemovalRule rule, FileDescriptor held)
      : path_(std::move(path)), target_(std::move(target)), rule_(rule), held_(std::move(held)) {}

  std::string path_;  // empty: committed or moved from
  std::string target_;
  RemovalRule rule_;
  FileDescriptor held_;  // locked, where the file system has locks, to show that the directory is in use
};

// Makes a directory beside `target`, whose missing parents are made too, under a name that no other process has.
Result<FileDescriptor> MakeOwnDirectory(const std::string& target);

// The directory of the committed checkpoint `path`: that path or, if a crash came between two renames, `path`.old or
// `path`.old-HOST-PROCESS-NUMBER. NotFound otherwise; kIo where this cannot be found out.
Result<std::string> FindDirectory(const std::string& path);

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_DIRECTORY_COMMIT_H_
