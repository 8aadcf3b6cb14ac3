#include "src/spec/yaml/yaml_text.h"

#include <algorithm>

namespace dfrun {
namespace {

bool IsLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool IsControl(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

// Words that YAML takes for no text.
bool IsNull(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

bool MayBegin(std::string_view text) {
  constexpr std::string_view kHarmless = "_./$(<=+^";
  const char first = text[0];
  if (first == '-') return text.size() > 1 && (IsLetterOrDigit(text[1]) || text[1] == '.');
  return IsLetterOrDigit(first) || kHarmless.find(first) != std::string_view::npos;
}

// Within [] and in keys a plain text has letters, digits and these.
constexpr std::string_view kOfWords = "_./+-";

bool MayBePlain(std::string_view text, YamlPlace place) {
  if (IsNull(text) || !MayBegin(text) || text.back() == ' ' || text.starts_with("...")) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    if (IsControl(c) || static_cast<unsigned char>(c) >= 0x80) return false;
    if (place != YamlPlace::kBlock && !IsLetterOrDigit(c) && kOfWords.find(c) == std::string_view::npos) return false;
    if ((c == ':' && next == ' ') || (c == ' ' && next == '#')) return false;
  }
  return true;
}

std::string Escaped(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (IsControl(c)) {
      out += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string InSingleQuotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::string YamlText(std::string_view text, YamlPlace place) {
  if (MayBePlain(text, place)) return std::string(text);
  const bool has_escapes = text.find_first_of("\"\\") != std::string_view::npos;
  return has_escapes && std::none_of(text.begin(), text.end(), &IsControl) ? InSingleQuotes(text) : Escaped(text);
}

}  // namespace dfrun
