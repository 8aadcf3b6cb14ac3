// Which directories may be removed, and their removal: nothing that a user put there goes with a checkpoint.
//
// FORMAT.md has the rules. Links are never followed.
// Thread safety: functions without state; another process may replace or remove what they look at.
#ifndef DFRUN_SRC_CHECKPOINT_REMOVABLE_H_
#define DFRUN_SRC_CHECKPOINT_REMOVABLE_H_

#include <sys/types.h>

#include <string>

#include "src/base/status.h"

namespace dfrun {

enum class RemovalRule {
  kWhole,      // a directory whose manifest reads, and which holds only files that it names
  kFilesOnly,  // one with nothing but regular files called as those of a checkpoint, whole or not: in a run's directory
};

// Which file or directory it is, under whatever name.
struct FileId {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const FileId&) const = default;
};

// NotFound where nothing stands there; a link is a thing of its own.
Result<FileId> IdOf(const std::string& path);

// OK where the rule allows `path` to be removed. NotFound where nothing stands there; kIo with what does otherwise: "a
// link stands there", "a directory stands there with 'notes', which is no part of a checkpoint".
Status CheckRemovable(const std::string& path, RemovalRule rule);

// Gives the directory a name of this process's own, so that no reader finds half of it, and removes it, if it is `id`
// and CheckRemovable() allows it. After an error it stands under its name as it was, or, where the error says so, what
// is left of it under the other one.
Status RemoveAtomically(const std::string& path, RemovalRule rule, const FileId& id);
Status RemoveAtomically(const std::string& path, RemovalRule rule);

// Removes the directory, under a name that no reader looks at, if CheckRemovable() allows it.
Status RemoveDirectory(const std::string& path, RemovalRule rule);

// "shard-" something ".h5": the name of a file that holds variables.
bool IsShardName(std::string_view name);

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_REMOVABLE_H_
