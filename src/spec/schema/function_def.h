// The entries of the sections `graph:` and `functions:`, as they are written.
#ifndef DFRUN_SRC_SPEC_SCHEMA_FUNCTION_DEF_H_
#define DFRUN_SRC_SPEC_SCHEMA_FUNCTION_DEF_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/spec/schema/key_def.h"
#include "src/spec/yaml/diagnostics.h"
#include "src/spec/yaml/yaml_tree.h"

namespace dfrun {

// The entry of a node: a name and an expression or a mapping.
struct GraphEntry {
  Yaml name;
  Yaml value;
};

// A subgraph with arguments (values of the graph), attrs (texts), local nodes and returned values.
struct FunctionDef {
  struct AttrArg {
    Yaml name;
    Yaml default_value;  // null: a call must give it
  };
  std::string name;
  SourceLocation location;
  std::optional<Yaml> written;  // all of it
  std::vector<Yaml> args;
  std::vector<AttrArg> attrs;
  std::vector<GraphEntry> locals;
  std::vector<GraphEntry> returns;  // at least one; a single one may be written without a name
  bool returns_one = false;         // written without a name: its node has the name of the call
};

using FunctionMap = std::map<std::string, FunctionDef, std::less<>>;

// The keys of a function.
const std::vector<KeyDef>& FunctionKeys();

// Appends the entries of a `graph:` mapping.
void ReadGraphEntries(const Yaml& map, std::string_view what, std::vector<GraphEntry>& entries,
                      Diagnostics& diagnostics);
// Returns nothing after an error.
std::optional<FunctionDef> ReadFunction(const Yaml& name, const Yaml& value, Diagnostics& diagnostics);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_SCHEMA_FUNCTION_DEF_H_
