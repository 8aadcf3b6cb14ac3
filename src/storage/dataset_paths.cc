#include "src/storage/dataset_paths.h"

#include <algorithm>
#include <map>

namespace dfrun {

std::string DatasetPath(std::string_view name) {
  std::string path;
  for (size_t at = 0; at < name.size();) {
    const size_t end = std::min(name.find('/', at), name.size());
    const std::string_view part = name.substr(at, end - at);
    if (!part.empty() && part != ".") path.append("/").append(part);
    at = end + 1;
  }
  return path;
}

std::optional<DatasetClash> FindDatasetClash(const std::vector<std::string>& names) {
  std::vector<std::string> paths;
  std::map<std::string_view, size_t> first;
  for (const std::string& name : names) paths.push_back(DatasetPath(name));
  for (size_t i = 0; i < names.size(); ++i) first.emplace(paths[i], i);
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string_view path = paths[i];
    if (const size_t other = first.at(path); other != i) return DatasetClash{i, other, false};
    for (size_t slash = path.find('/', 1); slash < path.size(); slash = path.find('/', slash + 1)) {
      const auto above = first.find(path.substr(0, slash));
      if (above != first.end()) return DatasetClash{i, above->second, true};
    }
  }
  return {};
}

}  // namespace dfrun
