#include "src/checkpoint/directory_swap.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>

#include "src/base/file.h"
#include "src/checkpoint/temporary_name.h"

namespace dfrun {
namespace {

// An attempt fails only if another process has given its directory the name meanwhile.
constexpr int kMaxTries = 10'000;

enum class Outcome { kDone, kTryAgain, kUnsupported };

// NFS and others refuse the flags (EINVAL); old kernels and sandboxes lack the call.
bool IsUnsupported(int error) {
  return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP;
}

Status CannotRename(const std::string& from, const std::string& to) {
  return ErrnoError("cannot rename " + from + " to", to);
}

bool IsThere(const std::string& path) {
  struct stat info;
  return ::lstat(path.c_str(), &info) == 0;
}

// Renames to a name that is free.
Result<Outcome> RenameToFree(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return Outcome::kDone;
  if (errno == EEXIST) return Outcome::kTryAgain;
  if (!IsUnsupported(errno)) return CannotRename(from, to);
  // A rename of a directory may replace an empty directory, and nothing else.
  if (IsThere(to)) return Outcome::kTryAgain;
  if (std::rename(from.c_str(), to.c_str()) == 0) return Outcome::kDone;
  if (errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR) return Outcome::kTryAgain;
  return CannotRename(from, to);
}

Result<Outcome> Exchange(const std::string& from, const std::string& to, const MayReplace& may_replace) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) != 0) {
    if (errno == ENOENT && IsThere(from)) return Outcome::kTryAgain;
    return IsUnsupported(errno) ? Result<Outcome>(Outcome::kUnsupported) : CannotRename(from, to);
  }
  const Status status = may_replace(from);
  if (status.ok()) return Outcome::kDone;
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) return status;
  return CannotRename(from, to).Annotate(status.message());
}

// Frees the name `to`: its directory gets the name *aside.
Result<Outcome> SetAside(const std::string& to, const MayReplace& may_replace, std::string* aside) {
  *aside = OwnName(to, kReplacedMark);
  if (std::rename(to.c_str(), aside->c_str()) != 0) {
    return errno == ENOENT ? Result<Outcome>(Outcome::kTryAgain) : CannotRename(to, *aside);
  }
  const Status status = may_replace(*aside);
  if (status.ok()) return Outcome::kDone;
  if (std::rename(aside->c_str(), to.c_str()) == 0) return status;
  return CannotRename(*aside, to).Annotate(status.message());
}

Result<Outcome> Replace(const std::string& from, const std::string& to, const MayReplace& may_replace,
                        std::vector<std::string>* replaced) {
  const Status status = may_replace(to);
  if (status.code() == Code::kNotFound) return Outcome::kTryAgain;
  DF_TRY(status);
  DF_ASSIGN(const Outcome exchanged, Exchange(from, to, may_replace));
  if (exchanged == Outcome::kDone) replaced->push_back(from);
  if (exchanged != Outcome::kUnsupported) return exchanged;
  std::string aside;
  DF_ASSIGN(const Outcome outcome, SetAside(to, may_replace, &aside));
  if (outcome == Outcome::kDone) replaced->push_back(std::move(aside));
  return Outcome::kTryAgain;
}

Status TrySwap(const std::string& from, const std::string& to, const MayReplace& may_replace,
               std::vector<std::string>* replaced) {
  for (int i = 0; i < kMaxTries; ++i) {
    DF_ASSIGN(const Outcome moved, RenameToFree(from, to));
    if (moved == Outcome::kDone) return Status();
    DF_ASSIGN(const Outcome outcome, Replace(from, to, may_replace, replaced));
    if (outcome == Outcome::kDone) return Status();
  }
  return IoError("cannot rename ", from, " to ", to, ": other processes replace it again and again");
}

}  // namespace

Status SwapDirectory(const std::string& from, const std::string& to, const MayReplace& may_replace,
                     std::vector<std::string>* replaced) {
  Status status = TrySwap(from, to, may_replace, replaced);
  if (status.ok() || replaced->empty()) return status;
  // Gives the directory that was set aside its name back, unless another process has taken the name.
  const Result<Outcome> back = RenameToFree(replaced->back(), to);
  return back.ok() ? status : back.status().Annotate(status.message());
}

}  // namespace dfrun
