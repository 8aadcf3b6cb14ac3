// Characters of UTF-8 text: every byte that does not continue another begins one, so that any bytes can be read.
#ifndef DFRUN_KERNELS_STRINGS_UTF8_H_
#define DFRUN_KERNELS_STRINGS_UTF8_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "src/framework/kernel/kernel.h"

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

// The attr `unit`: true for UTF8_CHAR.
inline bool CountsCharacters(KernelSetup& setup) {
  return setup.attr<std::string>("unit") == "UTF8_CHAR";
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_STRINGS_UTF8_H_
