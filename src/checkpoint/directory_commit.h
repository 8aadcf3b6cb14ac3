// How a checkpoint's directory comes to stand under its name all at once. FORMAT.md has the steps and the crash
// argument.
#ifndef DFRUN_SRC_CHECKPOINT_DIRECTORY_COMMIT_H_
#define DFRUN_SRC_CHECKPOINT_DIRECTORY_COMMIT_H_

#include <string>

#include "src/checkpoint/manifest.h"

namespace dfrun {

// Makes the empty directory `path`.tmp, for shards, and returns its name. What is left of an earlier attempt goes.
Result<std::string> BeginDirectory(const std::string& path);
// Writes index and manifest into `path`.tmp and renames it to `path`; one that stood there is `path`.old in between,
// and then removed.
Status CommitDirectory(const std::string& path, const Manifest& manifest);
// Where the committed checkpoint `path` is: there, or at `path`.old where a crash came between. NotFound otherwise.
Result<std::string> FindDirectory(const std::string& path);
// Removes a directory with all that is in it; none is no error.
Status RemoveDirectory(const std::string& path);

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_DIRECTORY_COMMIT_H_
