// Numbers as hexadecimal digits.
#ifndef DFRUN_SRC_BASE_HEXADECIMAL_H_
#define DFRUN_SRC_BASE_HEXADECIMAL_H_

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dfrun {

// Lowercase digits with leading zeros; of a longer number the lowest digits.
inline std::string Hexadecimal(uint64_t number, size_t digits) {
  std::string text(digits, '0');
  for (size_t at = digits; at > 0; number >>= 4) text[--at] = "0123456789abcdef"[number & 15];
  return text;
}

// The number that Hexadecimal() writes as this text; nothing for other texts.
inline std::optional<uint64_t> ParseHexadecimal(std::string_view text, size_t digits) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  return error == std::errc() && Hexadecimal(number, digits) == text ? std::optional(number) : std::nullopt;
}

// The digits of a fingerprint (src/checkpoint/fingerprint.h), as files have it.
inline constexpr size_t kFingerprintDigits = 16;

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_HEXADECIMAL_H_
