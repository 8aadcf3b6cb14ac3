#include "src/spec/schema/check_keys.h"

#include <algorithm>

#include "src/base/text.h"
#include "src/spec/schema/alternatives.h"
#include "src/spec/schema/schema.h"
#include "src/spec/schema/section_def.h"

namespace dfrun {

bool CheckKeys(const Yaml& map, const std::vector<std::string>& known, std::string_view what,
               Diagnostics& diagnostics) {
  if (!CheckMap(map, what, diagnostics)) return false;
  bool good = true;
  for (size_t i = 0; i < map.size(); ++i) {
    const std::string_view key = map.key(i).text();
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    good = false;
    std::string near = DidYouMeanKey(key, known);
    if (near.empty()) near = StrCat(Sections::AboutKey(key), "; it takes ", Join(known));
    diagnostics.Error(map.key(i).location(), "unknown key '", key, "' of ", what, near);
  }
  return good;
}

bool CheckKeys(const Yaml& map, const std::vector<KeyDef>& keys, std::string_view what, Diagnostics& diagnostics) {
  return CheckKeys(map, NamesOf(WithAlternatives(keys)), what, diagnostics);
}

bool CheckSection(std::string_view name, const Yaml& section, Diagnostics& diagnostics) {
  return CheckKeys(section, Sections::Get(name).key.keys, StrCat("the section '", name, "'"), diagnostics);
}

}  // namespace dfrun
