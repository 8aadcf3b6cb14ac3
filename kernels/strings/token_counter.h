// Counts the different tokens of texts.
#ifndef DFRUN_KERNELS_STRINGS_TOKEN_COUNTER_H_
#define DFRUN_KERNELS_STRINGS_TOKEN_COUNTER_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/strings/byte_set.h"

namespace dfrun {

// Thread safety: as a vector.
class TokenCounter {
 public:
  struct Token {
    std::string_view text;  // in the text where it came first
    uint64_t hash;
    int64_t count;
  };

  explicit TokenCounter(const ByteSet& letters);

  // Counts the tokens of a text, which outlives this. A run of other bytes ends a token; one at the beginning of the
  // text ends an empty token. (The lines of tr -cs LETTERS '\n'.)
  void Add(std::string_view text);
  // In the order in which they came first.
  const std::vector<Token>& tokens() const { return tokens_; }

 private:
  void Count(std::string_view token, uint64_t hash);
  void Grow();

  const ByteSet letters_;
  std::vector<Token> tokens_;
  std::vector<uint32_t> table_;  // open addressing: 1 + an index into tokens_, 0 where free; a power of two
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_STRINGS_TOKEN_COUNTER_H_
