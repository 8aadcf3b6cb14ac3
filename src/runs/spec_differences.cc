#include "src/runs/spec_differences.h"

#include <map>
#include <string_view>

namespace dfrun {
namespace {

using LinesByPath = std::map<std::string_view, const SpecLine*>;

// Without heads of mappings and of lists, which have lines of their own below them.
LinesByPath ByPath(const std::vector<SpecLine>& lines) {
  LinesByPath by_path;
  for (const SpecLine& line : lines) {
    if (!line.text.empty()) by_path.emplace(line.path, &line);
  }
  return by_path;
}

}  // namespace

std::vector<SpecDifference> CompareSpecs(const std::vector<SpecLine>& a, const std::vector<SpecLine>& b) {
  const LinesByPath of_a = ByPath(a);
  const LinesByPath of_b = ByPath(b);
  std::vector<SpecDifference> differences;
  for (const SpecLine& line : a) {
    if (line.text.empty()) continue;
    const auto other = of_b.find(line.path);
    if (other == of_b.end()) {
      differences.push_back({line.path, line, {}});
    } else if (other->second->text != line.text) {
      differences.push_back({line.path, line, *other->second});
    }
  }
  for (const SpecLine& line : b) {
    if (!line.text.empty() && !of_a.contains(line.path)) differences.push_back({line.path, {}, line});
  }
  return differences;
}

}  // namespace dfrun
