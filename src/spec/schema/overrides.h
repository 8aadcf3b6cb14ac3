// Keys of a spec that the command line gives other values: --set train.steps=5.
#ifndef DFRUN_SRC_SPEC_SCHEMA_OVERRIDES_H_
#define DFRUN_SRC_SPEC_SCHEMA_OVERRIDES_H_

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/base/status.h"
#include "src/spec/yaml/diagnostics.h"
#include "src/spec/yaml/yaml_tree.h"

namespace dfrun {

// A key and its value. The path is the name of a param, or the keys that lead to a place of the spec with dots between
// them, items of lists by their numbers: "train.learning_rate.initial", "eval.metrics.0".
struct SpecOverride {
  std::string path;
  std::string text;   // the value as YAML, or the text of a param; null takes a key away
  std::string shown;  // "--set train.steps=5"
};

// Parses texts "path=value". A usage error for other texts.
Result<std::vector<SpecOverride>> ParseOverrides(const std::vector<std::string>& sets);

// Gives the files of a spec the values, in their order. `files`: the spec's own file, then those that it includes, in
// the order in which their params count. Returns the names of the params among the overrides. A path that leads
// nowhere is an error, with the nearest key; a key that the language does not know is left to the readers of sections.
std::set<std::string> ApplyOverrides(const std::vector<SpecOverride>& overrides,
                                     const std::vector<YamlDocument*>& files, Diagnostics& diagnostics);

// The override of the number of steps of the spec's `train` or `run`, whichever the file has; nothing where it has
// neither.
std::optional<SpecOverride> OverrideOfSteps(int64_t steps, const YamlDocument& spec);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_SCHEMA_OVERRIDES_H_
