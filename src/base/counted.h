// Numbers of things, for messages.
#ifndef DFRUN_SRC_BASE_COUNTED_H_
#define DFRUN_SRC_BASE_COUNTED_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "src/base/status.h"

namespace dfrun {

// "1 rank", "2 ranks".
inline std::string Counted(int64_t count, std::string_view word) {
  return StrCat(count, " ", word, count == 1 ? "" : "s");
}

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_COUNTED_H_
