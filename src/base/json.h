// Strings as JSON writes them.
#ifndef DFRUN_SRC_BASE_JSON_H_
#define DFRUN_SRC_BASE_JSON_H_

#include <string>
#include <string_view>

namespace dfrun {

// `text` with quotes, with escapes where JSON needs them, and with U+FFFD for bytes that are not UTF-8.
std::string JsonString(std::string_view text);

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_JSON_H_
