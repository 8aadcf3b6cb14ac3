// The letters that words are runs of: bytes, or the characters of UTF-8 that Unicode calls letters.
#ifndef DFRUN_KERNELS_STRINGS_LETTERS_H_
#define DFRUN_KERNELS_STRINGS_LETTERS_H_

#include <cstddef>
#include <string_view>

#include "kernels/strings/byte_set.h"
#include "kernels/strings/unicode_letters.h"
#include "src/base/utf8.h"

namespace dfrun {

class Letters {
 public:
  static constexpr size_t kMaxBytes = 4;  // size of a letter

  // "unicode", or a set of bytes as ByteSet has it.
  static Result<Letters> Parse(std::string_view text) {
    Letters letters;
    if (text == "unicode") {
      letters.are_unicode_ = true;
      return letters;
    }
    DF_ASSIGN(letters.bytes_, ByteSet::Parse(text));
    return letters;
  }

  bool are_unicode() const { return are_unicode_; }
  const ByteSet& bytes() const { return bytes_; }  // only if not are_unicode()

  struct Character {
    size_t bytes;
    bool is_letter;
  };
  // The character that `text`, which is not empty, begins with. A byte that is of no character is one, and no letter.
  Character First(std::string_view text) const {
    if (!are_unicode_) return {1, bytes_.Holds(text[0])};
    return FirstOfUnicode(text);
  }

  static Character FirstOfUnicode(std::string_view text) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return {1, (first | 0x20U) - 'a' < 26U};
    const size_t bytes = Utf8Length(text);
    if (bytes == 0) return {1, false};
    char32_t point = first & (0xffU >> (bytes + 1));
    for (size_t i = 1; i < bytes; ++i) point = point << 6 | (byte(i) & 0x3fU);
    return {bytes, IsUnicodeLetter(point)};
  }

 private:
  bool are_unicode_ = false;
  ByteSet bytes_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_STRINGS_LETTERS_H_
