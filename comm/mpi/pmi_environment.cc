#include "comm/mpi/pmi_environment.h"

#include <sys/stat.h>

#include <cstdlib>
#include <optional>

#include "src/base/text.h"

namespace dfrun::comm {
namespace {

bool IsSocket(std::string_view text) {
  const std::optional<int> descriptor = ParseAs<int>(text);
  struct stat found = {};
  return descriptor && ::fstat(*descriptor, &found) == 0 && S_ISSOCK(found.st_mode);
}

bool IsHostAndPort(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::optional<int> port = ParseAs<int>(text.substr(colon + 1));
  return port && *port > 0 && *port < 65'536;
}

Status Wrong(const char* variable, const char* value, const char* what) {
  return Error(
      Code::kUsage, variable, "=", value, " is ", what,
      ": these are the variables of an MPI launcher that did not start this process. Start it with mpiexec, or "
      "unset PMI_RANK, PMI_SIZE, PMI_FD and PMI_PORT to run alone");
}

}  // namespace

Status CheckPmiEnvironment() {
  if (std::getenv("PMI_RANK") == nullptr) return Status();
  const char* const descriptor = std::getenv("PMI_FD");
  if (descriptor != nullptr && !IsSocket(descriptor)) return Wrong("PMI_FD", descriptor, "no socket of this process");
  const char* const port = std::getenv("PMI_PORT");
  if (descriptor == nullptr && port != nullptr && !IsHostAndPort(port)) {
    return Wrong("PMI_PORT", port, "no HOST:PORT");
  }
  return Status();
}

}  // namespace dfrun::comm
