// Finds keys in mappings of the spec.
#ifndef DFRUN_SRC_SPEC_SCHEMA_SCHEMA_H_
#define DFRUN_SRC_SPEC_SCHEMA_SCHEMA_H_

#include <optional>
#include <string_view>

#include "src/spec/schema/near_key.h"
#include "src/spec/yaml/yaml_tree.h"

namespace dfrun {

// The value of a key; nothing if the mapping lacks it.
std::optional<Yaml> FindKey(const Yaml& map, std::string_view key);

// Reports a value that is no mapping, and what it should be. `what`: "the section 'train'".
bool CheckMap(const Yaml& value, std::string_view what, Diagnostics& diagnostics);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_SCHEMA_SCHEMA_H_
