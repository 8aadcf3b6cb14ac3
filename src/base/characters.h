// Characters that look like others, or like nothing.
#ifndef DFRUN_SRC_BASE_CHARACTERS_H_
#define DFRUN_SRC_BASE_CHARACTERS_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace dfrun {

// The code point of one well-formed UTF-8 character.
uint32_t CodePoint(std::string_view character);

// Whether the character is a space beyond ASCII, or has no width.
bool IsInvisible(uint32_t code_point);

// Names one well-formed character that looks like another one: "U+00A0, a no-break space", "U+201C, a typographic
// quote". Empty for others.
std::string NameOfLookAlike(std::string_view character);

// NameOfLookAlike() of the first such character of well-formed text; empty if there is none.
std::string FindLookAlike(std::string_view text);

// The text with plain characters in place of those, without such as have no width.
std::string WithoutLookAlikes(std::string_view text);

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_CHARACTERS_H_
