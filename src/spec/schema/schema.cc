#include "src/spec/schema/schema.h"

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

}  // namespace dfrun
