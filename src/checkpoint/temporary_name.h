// Names for what a process writes before it stands under its own name: two processes, or two attempts of one, never
// choose the same.
#ifndef DFRUN_SRC_CHECKPOINT_TEMPORARY_NAME_H_
#define DFRUN_SRC_CHECKPOINT_TEMPORARY_NAME_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

namespace dfrun {

// Who wrote a temporary: a process of a host.
struct NameOwner {
  std::string host;
  pid_t process = 0;
};

// "`path` + `mark` + HOST-PROCESS-NUMBER", another with each call; the last part of `path` is cut where a file system
// would refuse the length. Thread safety: any thread.
std::string OwnName(const std::string& path, std::string_view mark);
// The owner that a name which OwnName() made with `mark` tells; nothing for another name.
std::optional<NameOwner> OwnerOf(std::string_view name, std::string_view mark);
// Whether a process may still write in the directory: its owner has a lock on it, runs, or is of another host and wrote
// there in the last day; without an owner, the lock alone says so.
bool MayBeHeld(const std::string& directory, const std::optional<NameOwner>& owner);

// What OwnName() marks: a checkpoint that is being written or removed, and one that is being replaced.
inline constexpr std::string_view kTemporaryMark = ".tmp-";
inline constexpr std::string_view kReplacedMark = ".old-";

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_TEMPORARY_NAME_H_
