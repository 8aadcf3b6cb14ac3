#include "src/base/host/host_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include "src/base/host/control_groups.h"

namespace dfrun {
namespace {

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

// The number behind a word that begins a line: "MemAvailable: 123 kB".
std::optional<int64_t> NumberBehind(const std::string& path, const std::string& word) {
  std::ifstream file(path);
  for (std::string first; file >> first; file.ignore(std::numeric_limits<std::streamsize>::max(), '\n')) {
    int64_t number = 0;
    if (first == word && file >> number) return number;
  }
  return {};
}

void Take(HostMemory other, HostMemory& least) {
  if (other.left_bytes < least.left_bytes) least = other;
}

HostMemory OfHost() {
  const std::optional<int64_t> left = NumberBehind("/proc/meminfo", "MemAvailable:");
  const std::optional<int64_t> total = NumberBehind("/proc/meminfo", "MemTotal:");
  if (!left || !total) return {kNoLimit, kNoLimit};
  return {*left * 1024, *total * 1024};
}

HostMemory OfAddressSpace() {
  rlimit limit{};
  const std::optional<int64_t> pages = ReadNumber("/proc/self/statm");
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || !pages) return {kNoLimit, kNoLimit};
  const auto total = static_cast<int64_t>(limit.rlim_cur);
  return {std::max<int64_t>(total - *pages * sysconf(_SC_PAGESIZE), 0), total};
}

// Reads one group's files of these names. Pages of files that nobody uses are given back when memory is short.
HostMemory OfGroup(const std::string& folder, const char* limit, const char* usage, const char* unused_files) {
  const std::optional<int64_t> total = ReadNumber(folder + limit);
  const std::optional<int64_t> used = ReadNumber(folder + usage);
  if (!total || !used) return {kNoLimit, kNoLimit};
  const int64_t files = NumberBehind(folder + "/memory.stat", unused_files).value_or(0);
  return {std::max<int64_t>(*total - *used + files, 0), *total};
}

HostMemory OfGroups() {
  HostMemory least{kNoLimit, kNoLimit};
  for (const ControlGroups& groups : ControlGroupsOf("memory.max")) {
    for (const std::string& folder : groups.folders) {
      Take(groups.is_v2 ? OfGroup(folder, "/memory.max", "/memory.current", "inactive_file")
                        : OfGroup(folder, "/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file"),
           least);
    }
  }
  return least;
}

}  // namespace

HostMemory LookAtHostMemory() {
  HostMemory least = OfHost();
  Take(OfAddressSpace(), least);
  Take(OfGroups(), least);
  return least;
}

}  // namespace dfrun
