// The control groups (cgroups, v1 and v2) that this process is in, as Slurm, container engines and systemd set them up.
#ifndef DFRUN_SRC_BASE_HOST_CONTROL_GROUPS_H_
#define DFRUN_SRC_BASE_HOST_CONTROL_GROUPS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dfrun {

// The groups of one controller: their folders from the process's own group up to the one that is mounted.
struct ControlGroups {
  bool is_v2 = false;
  std::vector<std::string> folders;
};

// Finds the groups of the controller of a file of v2, whose name begins with the controller's ("memory.max"), in each
// hierarchy that is mounted. `root` is put before /proc and /sys, for tests.
// Thread safety: any thread.
std::vector<ControlGroups> ControlGroupsOf(const std::string& file, const std::string& root = "");

// The first words of a file, at most two; a word that is no number, "max", is none.
std::vector<std::optional<int64_t>> ReadNumbers(const std::string& path);
// The first of them.
std::optional<int64_t> ReadNumber(const std::string& path);

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_HOST_CONTROL_GROUPS_H_
