#include "comm/ucx/part/ucx_status.h"

#include <sys/statvfs.h>

namespace dfrun::comm {
namespace {

constexpr const char* kSharedMemory = "/dev/shm";

// Returns "; /dev/shm has 4 MiB, of which 1 are free: ..."; an empty text if there is no /dev/shm.
std::string AboutSharedMemory() {
  struct statvfs found = {};
  if (::statvfs(kSharedMemory, &found) != 0) return "";
  const auto mib = [&](uint64_t blocks) { return (blocks * found.f_frsize) >> 20; };
  return StrCat("; ", kSharedMemory, ", where ranks of a host share memory, has ", mib(found.f_blocks),
                " MiB, of which ", mib(found.f_bavail),
                " are free: give it more (a container: --shm-size=1g; else mount -o remount,size=1g /dev/shm), remove "
                "what ended jobs have left there, or use --transport mpi");
}

}  // namespace

Status UcxStatus(ucs_status_t status, std::string_view what) {
  if (status == UCS_OK) return Status();
  const bool lacks_memory = status == UCS_ERR_NO_MEMORY || status == UCS_ERR_NO_RESOURCE;
  return Error(lacks_memory ? Code::kResourceExhausted : Code::kUnavailable, "UCX could not ", what, ": ",
               ucs_status_string(status), lacks_memory ? AboutSharedMemory() : "");
}

}  // namespace dfrun::comm
