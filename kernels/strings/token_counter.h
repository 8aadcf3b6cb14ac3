// Counts the different tokens of texts.
#ifndef DFRUN_KERNELS_STRINGS_TOKEN_COUNTER_H_
#define DFRUN_KERNELS_STRINGS_TOKEN_COUNTER_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/strings/letters.h"

namespace dfrun {

// Thread safety: as a vector.
class TokenCounter {
 public:
  struct Token {
    std::string_view text;  // in the text where it came first
    uint64_t hash;
    int64_t count;
  };

  explicit TokenCounter(const Letters& letters);

  // Counts the tokens of a text, which outlives this: its runs of letters. (The lines of tr -cs LETTERS '\n', but for
  // an empty one.)
  void Add(std::string_view text);
  // The tokens in the order in which they came first.
  const std::vector<Token>& tokens() const { return tokens_; }

 private:
  void AddBytes(std::string_view text);
  void AddUnicode(std::string_view text);
  void Count(std::string_view token, uint64_t hash);
  void Grow();

  const Letters letters_;
  std::vector<Token> tokens_;
  std::vector<uint32_t> table_;  // open addressing: 1 + an index into tokens_, 0 where free; a power of two
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_STRINGS_TOKEN_COUNTER_H_
