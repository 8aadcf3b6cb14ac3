#include "src/base/printable.h"

#include <algorithm>
#include <cstdio>

#include "src/base/characters.h"
#include "src/base/status.h"
#include "src/base/utf8.h"

namespace dfrun {
namespace {

constexpr size_t kLongestWord = 512;
constexpr size_t kLongestLine = size_t{16} << 10;

bool IsControl(uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F);
}

bool ChangesDirection(uint32_t c) {
  return c == 0x061C || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

bool IsHidden(uint32_t c) {
  return IsControl(c) || ChangesDirection(c) || IsInvisible(c);
}

bool MovesOrHides(uint32_t c) {
  return c != '\n' && c != '\t' && (IsControl(c) || ChangesDirection(c));
}

std::string EscapeByte(unsigned char byte) {
  char text[8];
  std::snprintf(text, sizeof text, "\\x%02x", byte);
  return text;
}

std::string Escape(uint32_t c) {
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  if (c == '\r') return "\\r";
  char text[16];
  std::snprintf(text, sizeof text, c < 0xA0 ? "\\x%02x" : "\\u%04x", c);
  return text;
}

std::string Escaped(std::string_view text, bool (*is_escaped)(uint32_t)) {
  std::string out;
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    if (length == 0) {
      out += EscapeByte(static_cast<unsigned char>(text[0]));
      text.remove_prefix(1);
      continue;
    }
    const std::string_view character = text.substr(0, length);
    const uint32_t c = CodePoint(character);
    out += is_escaped(c) ? Escape(c) : std::string(character);
    text.remove_prefix(length);
  }
  return out;
}

bool ContinuesCharacter(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// The first two thirds of `limit` bytes of well-formed text and its end, with whole characters.
std::string CutInTheMiddle(std::string_view text, size_t limit) {
  if (text.size() <= limit) return std::string(text);
  size_t head = limit / 3 * 2;
  size_t tail = text.size() - limit / 3;
  while (ContinuesCharacter(text[head])) --head;
  while (tail < text.size() && ContinuesCharacter(text[tail])) ++tail;
  return StrCat(text.substr(0, head), "[... ", tail - head, " bytes left out ...]", text.substr(tail));
}

}  // namespace

std::string PrintableLine(std::string_view text) {
  const std::string escaped = Escaped(text, &IsHidden);
  std::string out;
  for (size_t at = 0; at < escaped.size();) {
    const size_t end = std::min(escaped.find(' ', at), escaped.size());
    out += CutInTheMiddle(std::string_view(escaped).substr(at, end - at), kLongestWord);
    if (end < escaped.size()) out += ' ';
    at = end + 1;
  }
  return CutInTheMiddle(out, kLongestLine);
}

std::string WithoutControls(std::string_view text) {
  return Escaped(text, &MovesOrHides);
}

std::string PrintableText(std::string_view text) {
  std::string out;
  while (true) {
    const size_t end = text.find('\n');
    out += PrintableLine(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
    out += text.substr(0, 2) == "  " ? "\n" : "\n  ";
  }
}

}  // namespace dfrun
