#include "src/spec/schema.h"

#include <algorithm>

#include "src/framework/op.h"

namespace dfrun {

std::optional<Yaml> FindKey(const Yaml& map, std::string_view key) {
  for (size_t i = 0; i < map.size(); ++i) {
    if (map.key(i).text() == key) return map.value(i);
  }
  return {};
}

bool CheckMap(const Yaml& value, std::string_view what, Diagnostics& diagnostics) {
  if (value.is_map()) return true;
  diagnostics.Error(value.location(), what, " must be a mapping, not ", value.Describe());
  return false;
}

bool CheckKeys(const Yaml& map, const std::vector<std::string>& known, std::string_view what,
               Diagnostics& diagnostics) {
  if (!CheckMap(map, what, diagnostics)) return false;
  bool good = true;
  for (size_t i = 0; i < map.size(); ++i) {
    const std::string_view key = map.key(i).text();
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    good = false;
    std::string near = DidYouMean(key, known);
    if (near.empty()) {
      for (const std::string& k : known) near += StrCat(near.empty() ? "; it takes " : ", ", k);
    }
    diagnostics.Error(map.key(i).location(), "unknown key '", key, "' of ", what, near);
  }
  return good;
}

std::string DidYouMean(std::string_view text, const std::vector<std::string>& candidates) {
  const std::string near = Nearest(text, candidates);
  return near.empty() ? "" : StrCat(", did you mean '", near, "'?");
}

}  // namespace dfrun
