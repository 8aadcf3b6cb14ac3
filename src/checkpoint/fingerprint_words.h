// The arithmetic of a fingerprint (fingerprint.h), of words that any device has: the sum over the words of a variable
// of
//     MixWord(word) * Factor(number of the word in its block) * Factor(kBlockWords + number of the block),
// modulo 2^64. FORMAT.md has the definition, for other programs.
#ifndef DFRUN_SRC_CHECKPOINT_FINGERPRINT_WORDS_H_
#define DFRUN_SRC_CHECKPOINT_FINGERPRINT_WORDS_H_

#include <cstdint>

namespace dfrun::fingerprint {

// Words that share a factor of their block.
inline constexpr int64_t kBlockWords = 256;

// The bijection of SplitMix64 (Steele, Lea and Flood, 2014).
constexpr uint64_t Mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// An odd factor: number `n` of the sequence that SplitMix64 gives from 0 on.
constexpr uint64_t Factor(uint64_t n) {
  return Mix((n + 1) * 0x9e3779b97f4a7c15) | 1;
}

// A bijection of words that takes high bits to low ones: by the product with a factor a bit changes none below it.
constexpr uint32_t MixWord(uint32_t word) {
  word ^= 0x9e3779b9;  // zeros count
  word ^= word >> 16;
  word *= 0x7feb352d;
  return word ^ (word >> 15);
}

}  // namespace dfrun::fingerprint

#endif  // DFRUN_SRC_CHECKPOINT_FINGERPRINT_WORDS_H_
