// Strings as JSON writes them.
#ifndef DFRUN_SRC_BASE_JSON_JSON_H_
#define DFRUN_SRC_BASE_JSON_JSON_H_

#include <optional>
#include <string>
#include <string_view>

namespace dfrun {

// `text` with quotes, with escapes where JSON needs them, and with U+FFFD for bytes that are not UTF-8.
std::string JsonString(std::string_view text);

// The text of a string that JsonString() has written, which `json` begins with and which is taken off it; nothing where
// it begins with none.
std::optional<std::string> TakeJsonString(std::string_view& json);

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_JSON_JSON_H_
