// IsUnicodeLetter(): true for the characters that are letters.
#ifndef DFRUN_KERNELS_STRINGS_UNICODE_LETTERS_H_
#define DFRUN_KERNELS_STRINGS_UNICODE_LETTERS_H_

namespace dfrun {

// A letter of Unicode (category L), or a mark that combines with one (M).
bool IsUnicodeLetter(char32_t point);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_STRINGS_UNICODE_LETTERS_H_
