// Checks mappings of the spec whose keys are known.
#ifndef DFRUN_SRC_SPEC_SCHEMA_SCHEMA_H_
#define DFRUN_SRC_SPEC_SCHEMA_SCHEMA_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/spec/yaml/yaml_tree.h"

namespace dfrun {

// The value of a key; nothing if the mapping lacks it.
std::optional<Yaml> FindKey(const Yaml& map, std::string_view key);

// Reports a value that is no mapping, and what it should be. `what`: "the section 'train'".
bool CheckMap(const Yaml& value, std::string_view what, Diagnostics& diagnostics);

// Does CheckMap(), and reports every key that is not in `known`, with a suggestion.
bool CheckKeys(const Yaml& map, const std::vector<std::string>& known, std::string_view what, Diagnostics& diagnostics);

// Finds the candidate that another program may call `text`: with words more or less (batch_size, batch), or with its
// initials (lr, learning_rate). Empty if there is none.
std::string KeyOfWords(std::string_view text, const std::vector<std::string>& candidates);

// Returns ", did you mean 'near'?", or nothing if no candidate is near. Says which character of the text is none that
// one writes.
std::string DidYouMean(std::string_view text, const std::vector<std::string>& candidates);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_SCHEMA_SCHEMA_H_
