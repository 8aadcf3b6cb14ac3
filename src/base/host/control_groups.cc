#include "src/base/host/control_groups.h"

#include <fstream>
#include <sstream>
#include <utility>

#include "src/base/text.h"

namespace dfrun {
namespace {

// A hierarchy of groups as it is mounted.
struct Mount {
  bool is_v2 = false;
  std::string root;     // the group that the mount shows
  std::string at;       // the mount point
  std::string options;  // v1: its controllers, between commas
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
ControlGroups FoldersOf(const std::string& root, const Mount& mount, std::string group) {
  ControlGroups groups{mount.is_v2, {}};
  if (mount.root != "/" && group.starts_with(mount.root)) group.erase(0, mount.root.size());
  while (!group.empty() && group != "/") {
    groups.folders.push_back(root + mount.at + group);
    group.erase(group.rfind('/'));
  }
  groups.folders.push_back(root + mount.at);
  return groups;
}

}  // namespace

std::vector<ControlGroups> ControlGroupsOf(const std::string& file, const std::string& root) {
  const std::string controller = file.substr(0, file.find('.'));
  std::vector<ControlGroups> all;
  for (const Mount& mount : ReadMounts(root)) {
    if (!mount.is_v2 && !Lists(mount.options, controller)) continue;
    const std::optional<std::string> group = GroupOf(root, mount.is_v2, controller);
    if (group) all.push_back(FoldersOf(root, mount, *group));
  }
  return all;
}

std::vector<std::optional<int64_t>> ReadNumbers(const std::string& path) {
  std::vector<std::optional<int64_t>> numbers;
  std::ifstream in(path);
  for (std::string word; numbers.size() < 2 && in >> word;) numbers.push_back(ParseAs<int64_t>(word));
  return numbers;
}

std::optional<int64_t> ReadNumber(const std::string& path) {
  const auto numbers = ReadNumbers(path);
  return numbers.empty() ? std::nullopt : numbers[0];
}

}  // namespace dfrun
