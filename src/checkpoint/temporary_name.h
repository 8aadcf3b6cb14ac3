// Temporary names for files and directories that are being written: two processes, or two attempts of one, never choose
// the same.
#ifndef DFRUN_SRC_CHECKPOINT_TEMPORARY_NAME_H_
#define DFRUN_SRC_CHECKPOINT_TEMPORARY_NAME_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

namespace dfrun {

// The process, of a host, that made a temporary name.
struct NameOwner {
  std::string host;
  pid_t process = 0;
};

// Returns `path` + `mark` + HOST-PROCESS-NUMBER, another name in each call; the last part of `path` is cut if a file
// system would refuse the length.
// Thread safety: any thread.
std::string OwnName(const std::string& path, std::string_view mark);
// The owner in a name that OwnName() made with `mark`; nothing for another name.
std::optional<NameOwner> OwnerOf(std::string_view name, std::string_view mark);
// Returns true if a process may still write in the directory: the owner holds a lock on it, or runs, or is of another
// host and wrote there in the last day. Without an owner the lock alone decides.
bool MayBeHeld(const std::string& directory, const std::optional<NameOwner>& owner);

// The marks of a checkpoint that is being written or removed, and of one that is being replaced.
inline constexpr std::string_view kTemporaryMark = ".tmp-";
inline constexpr std::string_view kReplacedMark = ".old-";

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_TEMPORARY_NAME_H_
