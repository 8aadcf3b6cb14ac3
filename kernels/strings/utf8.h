// Characters of UTF-8 text: every byte that does not continue another begins one, so that any bytes can be read.
#ifndef DFRUN_KERNELS_STRINGS_UTF8_H_
#define DFRUN_KERNELS_STRINGS_UTF8_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "src/framework/kernel.h"

namespace dfrun {

inline bool ContinuesCharacter(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

inline int64_t CountCharacters(std::string_view text) {
  int64_t count = 0;
  for (char byte : text) count += ContinuesCharacter(byte) ? 0 : 1;
  return count;
}

// The byte at which the character `characters` after the one at byte `from` begins; text.size() beyond the last.
inline size_t SkipCharacters(std::string_view text, size_t from, int64_t characters) {
  for (; characters > 0 && from < text.size(); --characters) {
    ++from;
    while (from < text.size() && ContinuesCharacter(text[from])) ++from;
  }
  return from;
}

// Whether all of `text` is well-formed UTF-8: no surrogates, nothing written longer than need be.
inline bool IsWellFormedUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    if (lead < 0x80) continue;
    const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    uint32_t character = lead & (0x3fU >> more);
    if (lead < 0xc2 || lead > 0xf4 || text.size() - i < static_cast<size_t>(more)) return false;
    for (int k = 0; k < more; ++k) {
      const auto next = static_cast<unsigned char>(text[i++]);
      if ((next & 0xc0U) != 0x80) return false;
      character = character << 6 | (next & 0x3fU);
    }
    constexpr uint32_t kLeast[] = {0, 0x80, 0x800, 0x10000};
    if (character < kLeast[more] || character > 0x10ffff || (character >= 0xd800 && character < 0xe000)) return false;
  }
  return true;
}

// The attr `unit`: true for UTF8_CHAR.
inline bool CountsCharacters(KernelSetup& setup) {
  return setup.attr<std::string>("unit") == "UTF8_CHAR";
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_STRINGS_UTF8_H_
