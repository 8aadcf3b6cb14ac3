#include "src/base/host/host_limits.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <thread>

#include "src/base/host/control_groups.h"
#include "src/base/status.h"

namespace dfrun {
namespace {

constexpr char kMemoryFile[] = "memory.max";
constexpr char kCoresFile[] = "cpu.max";

void LimitMemory(const ControlGroups& groups, HostLimits& limits) {
  for (const std::string& folder : groups.folders) {
    const std::string path = folder + (groups.is_v2 ? StrCat("/", kMemoryFile) : "/memory.limit_in_bytes");
    const std::optional<int64_t> bytes = ReadNumber(path);
    if (!bytes || *bytes < 0 || (limits.memory_bytes > 0 && *bytes >= limits.memory_bytes)) continue;
    limits.memory_bytes = *bytes;
    limits.memory_group = path;
  }
}

// Cores' worth of CPU time, of a v2 file "QUOTA PERIOD" or two v1 files, in microseconds.
std::optional<double> QuotaOf(const std::string& folder, bool is_v2) {
  std::optional<int64_t> quota;
  std::optional<int64_t> period;
  if (is_v2) {
    const auto numbers = ReadNumbers(StrCat(folder, "/", kCoresFile));
    if (numbers.size() < 2) return std::nullopt;
    quota = numbers[0];
    period = numbers[1];
  } else {
    quota = ReadNumber(folder + "/cpu.cfs_quota_us");
    period = ReadNumber(folder + "/cpu.cfs_period_us");
  }
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

void LimitCores(const ControlGroups& groups, HostLimits& limits) {
  for (const std::string& folder : groups.folders) {
    const std::optional<double> quota = QuotaOf(folder, groups.is_v2);
    if (!quota || (limits.quota_cores > 0 && *quota >= limits.quota_cores)) continue;
    limits.quota_cores = *quota;
    limits.cores_group = folder + (groups.is_v2 ? StrCat("/", kCoresFile) : "/cpu.cfs_quota_us");
    limits.cores = std::clamp(static_cast<int>(std::ceil(*quota)), 1, limits.cores);
  }
}

int CoresOfAffinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));  // more than such a set holds
}

}  // namespace

HostLimits ReadHostLimits(const std::string& root) {
  HostLimits limits;
  const int64_t pages = sysconf(_SC_PHYS_PAGES);
  limits.host_bytes = limits.memory_bytes = pages < 0 ? 0 : pages * sysconf(_SC_PAGESIZE);
  limits.cores = CoresOfAffinity();
  for (const ControlGroups& groups : ControlGroupsOf(kMemoryFile, root)) LimitMemory(groups, limits);
  for (const ControlGroups& groups : ControlGroupsOf(kCoresFile, root)) LimitCores(groups, limits);
  return limits;
}

const HostLimits& LimitsOfHost() {
  static const HostLimits& limits = *new HostLimits(ReadHostLimits());
  return limits;
}

std::string AboutMemoryLimit() {
  const HostLimits& limits = LimitsOfHost();
  if (!limits.limits_memory()) return "";
  return StrCat("; ", limits.memory_group, " allows ", limits.memory_bytes >> 20,
                " MiB to this process and those of its group: ask for more (Slurm: --mem; a container: --memory)");
}

}  // namespace dfrun
