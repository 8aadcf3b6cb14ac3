// The limits of this process on its host: cores and memory, as the control groups (cgroups, v1 and v2) that Slurm,
// container engines and systemd put it into limit them, and its affinity.
#ifndef DFRUN_SRC_BASE_HOST_HOST_LIMITS_H_
#define DFRUN_SRC_BASE_HOST_HOST_LIMITS_H_

#include <cstdint>
#include <string>

namespace dfrun {

struct HostLimits {
  int64_t memory_bytes = 0;  // limit of this process and others of its group together; 0: not known
  int64_t host_bytes = 0;    // memory of the host
  std::string memory_group;  // the limiting file: "/sys/fs/cgroup/job/memory.max"; empty: none
  int cores = 1;             // usable cores; a quota counts in whole cores, rounded up
  double quota_cores = 0;    // CPU seconds a second; 0: no quota
  std::string cores_group;   // the limiting file of the quota; empty: none

  bool limits_memory() const { return !memory_group.empty(); }
};

// Reads them anew. `root` is put before /proc and /sys, for tests.
HostLimits ReadHostLimits(const std::string& root = "");

// Returns the limits as they were at the first call.
// Thread safety: any thread.
const HostLimits& LimitsOfHost();

// Returns an end for the message of a lack of memory: "; /sys/fs/cgroup/job/memory.max allows 512 MiB to this process
// and those of its group"; empty where nothing limits it but the host.
std::string AboutMemoryLimit();

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_HOST_HOST_LIMITS_H_
