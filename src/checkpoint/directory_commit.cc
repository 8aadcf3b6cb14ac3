#include "src/checkpoint/directory_commit.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "src/base/log.h"
#include "src/checkpoint/directory_swap.h"
#include "src/checkpoint/manifest_file.h"
#include "src/checkpoint/temporary_name.h"

namespace dfrun {
namespace {

constexpr int kMaxNames = 1000;

std::string WithoutTrailingSlashes(const std::string& path) {
  return path.substr(0, path.find_last_not_of('/') + 1);
}

std::string LastPart(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

// The path without slashes at its end.
Result<std::string> TargetOf(const std::string& path) {
  const std::string target = WithoutTrailingSlashes(path);
  const std::string name = LastPart(target);
  const bool has_nul = target.find('\0') != std::string::npos;
  if (!name.empty() && name != "." && name != ".." && !has_nul) return target;
  return InvalidArgument("a checkpoint cannot be saved under the name '", path,
                         "': it needs a name for a directory of its own, like 'model'");
}

// A checkpoint inside another would be an entry that the outer one's manifest does not name, so the outer one could not
// be replaced any more.
Status CheckIsInNoCheckpoint(const std::string& target) {
  std::string above = ParentDirectory(target);
  struct stat info;
  while (above != "/" && above != "." && ::stat(above.c_str(), &info) != 0) above = ParentDirectory(above);
  if (!ReadManifest(above).ok()) return Status();
  return IoError("cannot save the checkpoint ", target, ": ", above, " is a checkpoint; give a name outside of it");
}

Status CannotReplace(const std::string& target, const Status& status) {
  if (status.ok() || status.code() == Code::kNotFound) return status;
  return IoError("cannot save the checkpoint ", target, ": ", status.message(), "; move it away, or give another name");
}

// The checkpoint of another user is not replaced, even where the file system would allow it.
Status CheckIsOwn(const std::string& path, const FileDescriptor& own) {
  struct stat theirs;
  struct stat ours;
  if (::lstat(path.c_str(), &theirs) != 0) return ErrnoError("cannot look at", path);
  if (::fstat(own.fd(), &ours) != 0) return ErrnoError("cannot look at", own.path());
  if (theirs.st_uid == ours.st_uid) return Status();
  return IoError(path, " is not dfrun's to remove: it belongs to another user (", theirs.st_uid, ")");
}

// A failure here is no error, because the checkpoint is committed.
void RemoveReplaced(const std::string& target, const std::vector<std::string>& replaced, RemovalRule rule) {
  for (const std::string& path : replaced) {
    const Status removed = RemoveDirectory(path, rule);
    if (removed.ok() || removed.code() == Code::kNotFound) continue;
    DF_LOG(kWarning) << "the checkpoint " << target << " is saved; of the one that it replaces: " << removed.message();
  }
}

Result<bool> IsCheckpoint(const std::string& path) {
  struct stat info;
  if (::stat((path + "/manifest.json").c_str(), &info) == 0) return S_ISREG(info.st_mode);
  if (errno == ENOENT || errno == ENOTDIR) return false;
  return ErrnoError("cannot look at", path + "/manifest.json");
}

// The newest directory that SwapDirectory() set aside, left by a crash before the new one got its name.
Result<std::optional<std::string>> FindSetAside(const std::string& path) {
  const std::string parent = ParentDirectory(path);
  const Result<std::vector<std::string>> names = ListDirectory(parent);
  if (names.status().code() == Code::kNotFound) return std::optional<std::string>();
  DF_TRY(names.status());
  std::optional<std::string> newest;
  timespec newest_time{};
  const std::string begin = LastPart(path) + std::string(kReplacedMark);
  for (const std::string& name : *names) {
    if (!name.starts_with(begin) || !OwnerOf(name, kReplacedMark)) continue;
    const std::string found = StrCat(parent, "/", name);
    DF_ASSIGN(const bool whole, IsCheckpoint(found));
    struct stat info;
    if (!whole || ::stat((found + "/manifest.json").c_str(), &info) != 0) continue;
    const timespec& time = info.st_mtim;
    if (newest && std::pair(time.tv_sec, time.tv_nsec) < std::pair(newest_time.tv_sec, newest_time.tv_nsec)) continue;
    newest = found;
    newest_time = time;
  }
  return newest;
}

}  // namespace

Result<FileDescriptor> MakeOwnDirectory(const std::string& target) {
  DF_TRY(MakeDirectories(ParentDirectory(target)));
  for (int i = 0; i < kMaxNames; ++i) {
    const std::string path = OwnName(target, kTemporaryMark);
    if (::mkdir(path.c_str(), 0777) != 0) {
      if (errno == EEXIST) continue;  // left by a process that had this one's number
      return IoError("cannot make the directory ", path, ": ", std::strerror(errno));
    }
    const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return ErrnoError("cannot open the directory", path);
    return FileDescriptor(fd, path);
  }
  return IoError("cannot make a temporary directory for ", target, ": all names are taken");
}

Result<NewDirectory> NewDirectory::Begin(const std::string& path, RemovalRule rule) {
  DF_ASSIGN(const std::string target, TargetOf(path));
  if (rule == RemovalRule::kWhole) DF_TRY(CheckIsInNoCheckpoint(target));
  const Status removable = CheckRemovable(target, rule);
  if (removable.code() != Code::kNotFound) DF_TRY(CannotReplace(target, removable));
  DF_ASSIGN(FileDescriptor held, MakeOwnDirectory(target));
  static_cast<void>(::flock(held.fd(), LOCK_SH | LOCK_NB));  // without locks the name alone must do
  const std::string own = held.path();
  NewDirectory made(own, target, rule, std::move(held));
  if (removable.ok()) {
    const Status is_own = CheckIsOwn(target, made.held_);
    if (is_own.code() != Code::kNotFound) DF_TRY(CannotReplace(target, is_own));
  }
  return made;
}

NewDirectory::~NewDirectory() {
  struct stat own;
  const Result<FileId> id = path_.empty() ? NotFound("") : IdOf(path_);
  if (!id.ok() || ::fstat(held_.fd(), &own) != 0 || !(*id == FileId{own.st_dev, own.st_ino})) return;
  const Status removed = RemoveDirectory(path_, RemovalRule::kFilesOnly);
  if (!removed.ok() && removed.code() != Code::kNotFound) DF_LOG(kWarning) << removed.message();
}

Status NewDirectory::Commit(const Manifest& manifest) {
  DF_TRY(WriteIndex(path_, manifest));
  DF_TRY(WriteManifest(path_, manifest));
  DF_TRY(SyncDirectory(path_));
  const auto may_replace = [&](const std::string& path) -> Status {
    DF_TRY(CheckRemovable(path, rule_));
    return CheckIsOwn(path, held_);
  };
  std::vector<std::string> replaced;
  DF_TRY(CannotReplace(target_, SwapDirectory(path_, target_, may_replace, &replaced)));
  path_.clear();
  DF_TRY(SyncDirectory(ParentDirectory(target_)));
  RemoveReplaced(target_, replaced, rule_);
  return Status();
}

Result<std::string> FindDirectory(const std::string& path) {
  const std::string target = WithoutTrailingSlashes(path);
  for (const std::string& name : {target, target + ".old"}) {
    DF_ASSIGN(const bool found, IsCheckpoint(name));
    if (found) return name;
  }
  DF_ASSIGN(const std::optional<std::string> aside, FindSetAside(target));
  if (aside) return *aside;
  return NotFound("there is no checkpoint ", path);
}

}  // namespace dfrun
