#include "src/base/proc_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "src/base/status.h"

namespace dfrun {

// A stream would throw where the process ends between the opening and the reading (ESRCH).
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

}  // namespace dfrun
