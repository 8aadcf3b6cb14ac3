#include "src/checkpoint/temporary_name.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <vector>

#include "src/base/file.h"
#include "src/base/host/host_name.h"
#include "src/base/text.h"

namespace dfrun {
namespace {

// The host's name as a part of a file's name: letters, digits, '.', '_' and '-'.
std::string HostInName() {
  std::string host = HostName();
  if (host.empty()) return "host";
  for (char& c : host) {
    if (!IsIdentifier(std::string_view(&c, 1)) && c != '.' && c != '-') c = '_';
  }
  return host;
}

// Returns the number at the end of `name` and removes it with the '-' before it.
std::optional<pid_t> TakeNumber(std::string_view& name) {
  const size_t at = name.rfind('-');
  if (at == std::string_view::npos) return std::nullopt;
  const std::optional<pid_t> number = ParseAs<pid_t>(name.substr(at + 1));
  name = name.substr(0, at);
  return number && *number > 0 ? number : std::nullopt;
}

// Whether a process holds the directory's lock; false, too, where the file system has no locks.
bool IsLocked(const std::string& directory) {
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  const bool locked = fd >= 0 && ::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (fd >= 0) ::close(fd);
  return locked;
}

// The processes of other hosts cannot be asked. A save that has written nothing for a day is not going on.
bool WasWrittenLately(const std::string& directory) {
  constexpr time_t kSeconds = 24 * 60 * 60;
  struct stat info;
  time_t newest = ::lstat(directory.c_str(), &info) == 0 ? info.st_mtime : 0;
  const Result<std::vector<std::string>> names = ListDirectory(directory);
  if (!names.ok()) return true;
  for (const std::string& name : *names) {
    if (::lstat(StrCat(directory, "/", name).c_str(), &info) == 0) newest = std::max(newest, info.st_mtime);
  }
  return newest + kSeconds > ::time(nullptr);
}

}  // namespace

std::string OwnName(const std::string& path, std::string_view mark) {
  static std::atomic<int> calls{0};
  const std::string end = StrCat(mark, HostInName(), "-", ::getpid(), "-", calls.fetch_add(1) + 1);
  const size_t slash = path.rfind('/');
  const size_t begin = slash == std::string::npos ? 0 : slash + 1;
  const size_t most = NAME_MAX - std::min<size_t>(end.size(), NAME_MAX);
  return path.substr(0, begin + std::min(path.size() - begin, most)) + end;
}

std::optional<NameOwner> OwnerOf(std::string_view name, std::string_view mark) {
  const std::optional<pid_t> call = TakeNumber(name);
  const std::optional<pid_t> process = TakeNumber(name);
  const size_t at = name.find(mark);
  if (!call || !process || at == std::string_view::npos) return std::nullopt;
  const std::string_view host = name.substr(at + mark.size());
  if (host.empty()) return std::nullopt;
  return NameOwner{std::string(host), *process};
}

bool MayBeHeld(const std::string& directory, const std::optional<NameOwner>& owner) {
  if (IsLocked(directory)) return true;
  if (!owner) return false;
  if (owner->host != HostInName()) return WasWrittenLately(directory);
  if (owner->process == ::getpid()) return false;  // an earlier attempt, or an earlier process of that number
  return ::kill(owner->process, 0) == 0 || errno != ESRCH;
}

}  // namespace dfrun
