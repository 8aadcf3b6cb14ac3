#include "src/base/characters.h"

#include <algorithm>
#include <cstdio>

#include "src/base/status.h"
#include "src/base/utf8.h"

namespace dfrun {
namespace {

struct LookAlike {
  uint32_t first;
  uint32_t last;
  std::string_view name;
  std::string_view plain;  // the character that a reader takes it for
};
constexpr LookAlike kLookAlikes[] = {
    {0x00A0, 0x00A0, "a no-break space", " "},
    {0x00AD, 0x00AD, "a soft hyphen", ""},
    {0x1680, 0x1680, "a space of another width", " "},
    {0x2000, 0x200A, "a space of another width", " "},
    {0x200B, 0x200D, "a character without width", ""},
    {0x200E, 0x200F, "a mark of the direction of writing", ""},
    {0x2010, 0x2015, "a dash that is no '-'", "-"},
    {0x2018, 0x201B, "a typographic quote", "'"},
    {0x201C, 0x201F, "a typographic quote", "\""},
    {0x2028, 0x2029, "a separator of lines", " "},
    {0x202A, 0x202E, "a mark of the direction of writing", ""},
    {0x202F, 0x202F, "a no-break space", " "},
    {0x205F, 0x205F, "a space of another width", " "},
    {0x2060, 0x2064, "a character without width", ""},
    {0x2066, 0x2069, "a mark of the direction of writing", ""},
    {0x2212, 0x2212, "a minus that is no '-'", "-"},
    {0x00D7, 0x00D7, "a multiplication sign; write '*'", "*"},
    {0x3000, 0x3000, "a space of another width", " "},
    {0xFEFF, 0xFEFF, "a byte order mark", ""},
};

const LookAlike* Find(uint32_t code_point) {
  const auto* const found = std::find_if(std::begin(kLookAlikes), std::end(kLookAlikes), [&](const LookAlike& known) {
    return known.first <= code_point && code_point <= known.last;
  });
  return found == std::end(kLookAlikes) ? nullptr : found;
}

// Calls `visit` with each character until it returns true.
template <class Visit>
void VisitCharacters(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const size_t length = std::max<size_t>(Utf8Length(text), 1);
    if (visit(text.substr(0, length))) return;
    text.remove_prefix(length);
  }
}

}  // namespace

uint32_t CodePoint(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return lead;
  uint32_t value = lead & (0x7FU >> character.size());
  for (char c : character.substr(1)) value = value << 6 | (static_cast<unsigned char>(c) & 0x3FU);
  return value;
}

bool IsInvisible(uint32_t code_point) {
  const LookAlike* const found = Find(code_point);
  return found != nullptr && (found->plain.empty() || found->plain == " ");
}

std::string NameOfLookAlike(std::string_view character) {
  const LookAlike* const found = Find(CodePoint(character));
  if (found == nullptr) return "";
  char code[16];
  std::snprintf(code, sizeof code, "U+%04X", static_cast<unsigned>(CodePoint(character)));
  return StrCat(code, ", ", found->name);
}

std::string FindLookAlike(std::string_view text) {
  std::string name;
  VisitCharacters(text, [&](std::string_view character) { return !(name = NameOfLookAlike(character)).empty(); });
  return name;
}

std::string WithoutLookAlikes(std::string_view text) {
  std::string plain;
  VisitCharacters(text, [&](std::string_view character) {
    const LookAlike* const found = Find(CodePoint(character));
    plain += found == nullptr ? character : found->plain;
    return false;
  });
  return plain;
}

}  // namespace dfrun
