// Values of keys that choose names by patterns (src/base/name_pattern.h): `freeze: [embed/W, "*/W"]`.
#ifndef DFRUN_SRC_SPEC_SCHEMA_NAME_PATTERNS_H_
#define DFRUN_SRC_SPEC_SCHEMA_NAME_PATTERNS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/name_pattern.h"
#include "src/spec/schema/values.h"

namespace dfrun {

// A pattern and where the spec has it.
struct LocatedPattern {
  NamePattern pattern;
  SourceLocation location;
};

// Reads a pattern or a list of them. Returns nothing after an error. `what` names the value: "'freeze'".
std::optional<std::vector<LocatedPattern>> ReadNamePatterns(const Yaml& value, std::string_view what,
                                                            ValueReader& reader);

// A sentence on a pattern that matches none of the names, with the nearest: "'h1/w' is no variable of
// the graph; the nearest are 'h1/W', 'h2/W', 'h1/b'". `kind` says what the names are: "variable of the graph".
std::string DescribeUnmatched(const NamePattern& pattern, const std::vector<std::string>& names, std::string_view kind);

// Tells for each name whether one of the patterns matches it. Reports each pattern that matches none.
std::vector<bool> MatchNames(const std::vector<LocatedPattern>& patterns, const std::vector<std::string>& names,
                             std::string_view kind, Diagnostics& diagnostics);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_SCHEMA_NAME_PATTERNS_H_
