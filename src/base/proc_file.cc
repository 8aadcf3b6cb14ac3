#include "src/base/proc_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <sstream>

#include "src/base/status.h"

namespace dfrun {
namespace {

// "7 (a name) S 6 ...": the name stands between the first and the last parenthesis.
std::optional<ProcStat> ParseStat(const std::string& text) {
  const size_t open = text.find('(');
  const size_t close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  ProcStat stat{.name = text.substr(open + 1, close - open - 1)};
  std::istringstream rest(text.substr(close + 1));
  rest >> stat.state >> stat.parent;
  std::string skipped;
  for (int field = 5; field < 22; ++field) rest >> skipped;
  rest >> stat.started;
  return rest.fail() ? std::nullopt : std::optional(stat);
}

}  // namespace

// Reads without a stream, which would throw if the process ends between the opening and the reading (ESRCH).
std::string ReadProcFile(pid_t process, const char* name) {
  const int file = ::open(StrCat("/proc/", process, "/", name).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return "";
  std::string content;
  char buffer[4096];
  ssize_t bytes = 0;
  while ((bytes = ::read(file, buffer, sizeof buffer)) != 0) {
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) break;
    content.append(buffer, static_cast<size_t>(bytes));
  }
  ::close(file);
  return bytes < 0 ? "" : content;
}

std::optional<ProcStat> ReadProcStat(pid_t process) {
  return ParseStat(ReadProcFile(process, "stat"));
}

std::optional<ProcStat> ReadThreadStat(pid_t process, pid_t thread) {
  return ParseStat(ReadProcFile(process, StrCat("task/", thread, "/stat").c_str()));
}

std::optional<std::string> ValueIn(const std::string& environment, std::string_view variable) {
  for (size_t at = 0; at < environment.size();) {
    const size_t end = std::min(environment.find('\0', at), environment.size());
    const std::string_view entry = std::string_view(environment).substr(at, end - at);
    if (entry.size() > variable.size() && entry.starts_with(variable) && entry[variable.size()] == '=') {
      return std::string(entry.substr(variable.size() + 1));
    }
    at = end + 1;
  }
  return std::nullopt;
}

}  // namespace dfrun
