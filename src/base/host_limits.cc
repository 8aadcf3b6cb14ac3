#include "src/base/host_limits.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>
#include <vector>

#include "src/base/status.h"
#include "src/base/text.h"

namespace dfrun {
namespace {

constexpr char kMemoryFile[] = "memory.max";
constexpr char kCoresFile[] = "cpu.max";

// A hierarchy of groups as it is mounted.
struct Mount {
  bool is_v2 = false;
  std::string root;     // the group that the mount shows
  std::string at;       // where
  std::string options;  // of v1: its controllers, between commas
};

// A controller's groups that this process is in: the folders from its own up to the one that is mounted.
struct Groups {
  bool is_v2 = false;
  std::vector<std::string> folders;
};

bool Lists(const std::string& list, const std::string& word) {
  return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

std::vector<Mount> ReadMounts(const std::string& root) {
  std::vector<Mount> mounts;
  std::ifstream in(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string skipped;
    Mount mount;
    words >> skipped >> skipped >> skipped >> mount.root >> mount.at;
    while (words >> skipped && skipped != "-") {
    }
    std::string type;
    words >> type >> skipped >> mount.options;
    mount.is_v2 = type == "cgroup2";
    if (mount.is_v2 || type == "cgroup") mounts.push_back(std::move(mount));
  }
  return mounts;
}

// The path of the group in its hierarchy, as /proc/self/cgroup has it.
std::optional<std::string> GroupOf(const std::string& root, bool is_v2, const std::string& controller) {
  std::ifstream in(root + "/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (is_v2 ? controllers.empty() : Lists(controllers, controller)) return line.substr(second + 1);
  }
  return std::nullopt;
}

// A container may be shown its own group as the root, under the path that the host knows it by.
Groups FoldersOf(const std::string& root, const Mount& mount, std::string group) {
  Groups groups{mount.is_v2, {}};
  if (mount.root != "/" && group.starts_with(mount.root)) group.erase(0, mount.root.size());
  while (!group.empty() && group != "/") {
    groups.folders.push_back(root + mount.at + group);
    group.erase(group.rfind('/'));
  }
  groups.folders.push_back(root + mount.at);
  return groups;
}

// Of the controller of this file of v2, whose name begins with the controller's.
std::vector<Groups> GroupsWith(const std::string& file, const std::string& root, const std::vector<Mount>& mounts) {
  const std::string controller = file.substr(0, file.find('.'));
  std::vector<Groups> all;
  for (const Mount& mount : mounts) {
    if (!mount.is_v2 && !Lists(mount.options, controller)) continue;
    const std::optional<std::string> group = GroupOf(root, mount.is_v2, controller);
    if (group) all.push_back(FoldersOf(root, mount, *group));
  }
  return all;
}

// The first two words of a file; what is no number is none: "max".
std::vector<std::optional<int64_t>> Numbers(const std::string& path) {
  std::vector<std::optional<int64_t>> numbers;
  std::ifstream in(path);
  for (std::string word; numbers.size() < 2 && in >> word;) numbers.push_back(ParseAs<int64_t>(word));
  return numbers;
}

std::optional<int64_t> Number(const std::string& path) {
  const auto numbers = Numbers(path);
  return numbers.empty() ? std::nullopt : numbers[0];
}

void LimitMemory(const Groups& groups, HostLimits& limits) {
  for (const std::string& folder : groups.folders) {
    const std::string path = folder + (groups.is_v2 ? StrCat("/", kMemoryFile) : "/memory.limit_in_bytes");
    const std::optional<int64_t> bytes = Number(path);
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
    const auto numbers = Numbers(StrCat(folder, "/", kCoresFile));
    if (numbers.size() < 2) return std::nullopt;
    quota = numbers[0];
    period = numbers[1];
  } else {
    quota = Number(folder + "/cpu.cfs_quota_us");
    period = Number(folder + "/cpu.cfs_period_us");
  }
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

void LimitCores(const Groups& groups, HostLimits& limits) {
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
  const std::vector<Mount> mounts = ReadMounts(root);
  for (const Groups& groups : GroupsWith(kMemoryFile, root, mounts)) LimitMemory(groups, limits);
  for (const Groups& groups : GroupsWith(kCoresFile, root, mounts)) LimitCores(groups, limits);
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
