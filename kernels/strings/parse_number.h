// Numbers from their text, white space around them aside.
#ifndef DFRUN_KERNELS_STRINGS_PARSE_NUMBER_H_
#define DFRUN_KERNELS_STRINGS_PARSE_NUMBER_H_

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>

namespace dfrun {

// The text without white space at both ends.
inline std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// Parses a number. False where `text` is no number of this type, or beyond its range. Floating point: decimal or
// hexadecimal, inf, infinity, nan and nan(...) in any case; numbers that are too large are infinite, those too small
// zero.
template <class T>
bool ParseNumber(std::string_view text, T& value) {
  text = Trimmed(text);
  if (text.empty() || text.find('\0') != std::string_view::npos) return false;
  if constexpr (std::is_integral_v<T>) {
    const std::string_view given = text;
    if (text.front() == '+') text.remove_prefix(1);
    if (text.size() < given.size() && (text.empty() || text.front() == '-')) return false;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
  } else {
    const std::string copy(text);
    char* end = nullptr;
    value = std::is_same_v<T, float> ? static_cast<T>(std::strtof(copy.c_str(), &end))
                                     : static_cast<T>(std::strtod(copy.c_str(), &end));
    return end == copy.c_str() + copy.size();
  }
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_STRINGS_PARSE_NUMBER_H_
