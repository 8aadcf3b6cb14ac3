// Text in JSON.
#ifndef DFRUN_SRC_BASE_JSON_H_
#define DFRUN_SRC_BASE_JSON_H_

#include <string>
#include <string_view>

namespace dfrun {

// With quotes, and escapes where JSON needs them.
std::string JsonString(std::string_view text);

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_JSON_H_
