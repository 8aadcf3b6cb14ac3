// Checks and repairs UTF-8.
#ifndef DFRUN_SRC_BASE_UTF8_H_
#define DFRUN_SRC_BASE_UTF8_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace dfrun {

// The number of bytes of the first character of `text`; 0 where `text` is empty or begins with a malformed character,
// such as a surrogate or one in more bytes than it needs.
size_t Utf8Length(std::string_view text);

bool IsWellFormedUtf8(std::string_view text);

// `text` with U+FFFD instead of each byte that belongs to no character. For formats that hold UTF-8 only: a path may
// have any bytes.
std::string WellFormedUtf8(std::string_view text);

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_UTF8_H_
