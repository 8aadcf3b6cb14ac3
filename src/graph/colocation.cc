#include "src/graph/colocation.h"

namespace dfrun {
namespace {

constexpr std::string_view kPrefix = "loc:@";

}  // namespace

std::string_view ColocationName(std::string_view entry) {
  return entry.substr(0, kPrefix.size()) == kPrefix ? entry.substr(kPrefix.size()) : std::string_view();
}

std::string ColocationEntry(std::string_view name) {
  return std::string(kPrefix) + std::string(name);
}

std::vector<std::string_view> ColocationNames(const AttrMap& attrs) {
  std::vector<std::string_view> names;
  const AttrValue* attr = attrs.Find(kClassAttr);
  const auto* entries = attr == nullptr ? nullptr : attr->get<std::vector<std::string>>();
  if (entries == nullptr) return names;
  for (const std::string& entry : *entries) {
    if (const std::string_view name = ColocationName(entry); !name.empty()) names.push_back(name);
  }
  return names;
}

}  // namespace dfrun
