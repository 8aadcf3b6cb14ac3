// Checks that mappings of the spec hold the keys that are declared for them.
#ifndef DFRUN_SRC_SPEC_SCHEMA_CHECK_KEYS_H_
#define DFRUN_SRC_SPEC_SCHEMA_CHECK_KEYS_H_

#include <string>
#include <string_view>
#include <vector>

#include "src/spec/schema/key_def.h"
#include "src/spec/yaml/yaml_tree.h"

namespace dfrun {

// Does CheckMap(), and reports every key that is not in `known`, with a suggestion.
bool CheckKeys(const Yaml& map, const std::vector<std::string>& known, std::string_view what, Diagnostics& diagnostics);

// Checks by the names of WithAlternatives().
bool CheckKeys(const Yaml& map, const std::vector<KeyDef>& keys, std::string_view what, Diagnostics& diagnostics);
// Checks the keys of the section `name` of a spec.
bool CheckSection(std::string_view name, const Yaml& section, Diagnostics& diagnostics);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_SCHEMA_CHECK_KEYS_H_
