// Well-formed UTF-8.
#ifndef DFRUN_SRC_BASE_UTF8_H_
#define DFRUN_SRC_BASE_UTF8_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace dfrun {

// Bytes of the character at the begin of `text`; 0 where it is malformed (a surrogate or written longer than need be
// too) or there is none.
size_t Utf8Length(std::string_view text);

bool IsWellFormedUtf8(std::string_view text);

// `text` with U+FFFD for each byte that is of no character, for formats that hold UTF-8 only: a path may be any bytes.
std::string WellFormedUtf8(std::string_view text);

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_UTF8_H_
