#include "src/base/json/json.h"

#include <charconv>
#include <cstdint>

#include "src/base/utf8.h"

namespace dfrun {

std::string JsonString(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (char c : WellFormedUtf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::optional<std::string> TakeJsonString(std::string_view& json) {
  if (!json.starts_with('"')) return {};
  std::string out;
  for (size_t at = 1; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '"') {
      json.remove_prefix(at + 1);
      return out;
    }
    if (c != '\\') {
      out += c;
    } else if (json.substr(at).starts_with("\\u00") && at + 5 < json.size()) {
      uint8_t byte = 0;
      std::from_chars(json.data() + at + 4, json.data() + at + 6, byte, 16);
      out += static_cast<char>(byte);
      at += 5;
    } else if (at + 1 < json.size()) {
      out += json[++at];
    }
  }
  return {};
}

}  // namespace dfrun
