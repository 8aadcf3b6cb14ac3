// Decides which directories may be removed, and removes them: a file that a user put into a checkpoint is never
// removed.
//
// FORMAT.md has the rules. Links are never followed.
// Thread safety: functions without state; another process may replace or remove the files meanwhile.
#ifndef DFRUN_SRC_CHECKPOINT_REMOVABLE_H_
#define DFRUN_SRC_CHECKPOINT_REMOVABLE_H_

#include <sys/types.h>

#include <string>
#include <string_view>

#include "src/base/status.h"

namespace dfrun {

enum class RemovalRule {
  kWhole,      // a directory whose manifest reads, and which holds only files that it names
  kFilesOnly,  // in a run's directory: one with only regular files named as those of a checkpoint, whole or not
};

// The identity of a file or directory, whatever its name.
struct FileId {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const FileId&) const = default;
};

// Returns NotFound if the name is free. Of a link it is the link's own.
Result<FileId> IdOf(const std::string& path);

// Returns OK if the rule allows `path` to be removed, NotFound if the name is free. Otherwise kIo describes the
// obstacle: "a link stands there", "a directory stands there with 'notes', which is no part of a checkpoint".
Status CheckRemovable(const std::string& path, RemovalRule rule);

// Renames the directory to a name of this process's own, so that no reader finds half of it, and removes it, if it is
// `id` and CheckRemovable() allows it. After an error the directory is as it was, unless the error says that its
// remains have the other name.
Status RemoveAtomically(const std::string& path, RemovalRule rule, const FileId& id);
Status RemoveAtomically(const std::string& path, RemovalRule rule);

// Removes a directory whose name no reader looks at, if CheckRemovable() allows it.
Status RemoveDirectory(const std::string& path, RemovalRule rule);

// Returns true for "shard-" something ".h5", the name of a file that holds variables.
bool IsShardName(std::string_view name);

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_REMOVABLE_H_
