#include "src/checkpoint/fingerprint.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "src/checkpoint/fingerprint_words.h"
#include "src/checkpoint/tensor_bytes.h"

namespace dfrun {
namespace {

using fingerprint::Factor;
using fingerprint::Mix;
using fingerprint::MixWord;

constexpr int64_t kBlock = fingerprint::kBlockWords;
// Words of a share of one thread: some 25 us.
constexpr int64_t kShare = int64_t{1} << 16;

// The factors of a block's words, in halves: the product of a word and a half has 64 bits, and vectors have it.
struct Factors {
  uint32_t low[kBlock] = {};
  uint32_t high[kBlock] = {};
};

constexpr Factors MakeFactors() {
  Factors factors;
  for (int64_t i = 0; i < kBlock; ++i) {
    const uint64_t factor = Factor(static_cast<uint64_t>(i));
    factors.low[i] = static_cast<uint32_t>(factor);
    factors.high[i] = static_cast<uint32_t>(factor >> 32);
  }
  return factors;
}

constexpr Factors kFactors = MakeFactors();

// Sums up `count` words of a block, from its word `at` on.
template <class Word>
uint64_t SumOfBlock(const Word* words, int64_t count, int64_t at) {
  const uint32_t* const low = kFactors.low + at;
  const uint32_t* const high = kFactors.high + at;
  uint64_t of_low = 0;
  uint64_t of_high = 0;
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t word = MixWord(words[i]);
    of_low += word * low[i];
    of_high += word * high[i];
  }
  return of_low + (of_high << 32);
}

// Sums up words that begin with word `first` of the variable.
template <class Word>
uint64_t SumOf(const Word* words, int64_t count, int64_t first) {
  uint64_t sum = 0;
  while (count > 0) {
    const int64_t at = first % kBlock;
    const int64_t here = std::min(count, kBlock - at);
    const uint64_t of_block = at == 0 && here == kBlock ? SumOfBlock(words, kBlock, 0) : SumOfBlock(words, here, at);
    sum += of_block * Factor(static_cast<uint64_t>(kBlock + first / kBlock));
    words += here;
    first += here;
    count -= here;
  }
  return sum;
}

uint64_t HashOfText(std::string_view text) {
  uint64_t hash = text.size();
  while (!text.empty()) {
    uint64_t word = 0;
    const size_t bytes = std::min(text.size(), sizeof word);
    std::memcpy(&word, text.data(), bytes);  // the lowest byte first
    hash = Mix(hash ^ word);
    text.remove_prefix(bytes);
  }
  return hash;
}

// Calls visit(words, count, words of an element) with the words of all elements.
template <class Visit>
void VisitWords(const Tensor& part, Visit visit) {
  const int64_t count = part.num_elements();
  if (part.dtype() == DType::kString) {
    std::vector<uint64_t> hashes;
    for (const std::string& text : part.values<std::string>()) hashes.push_back(HashOfText(text));
    return visit(reinterpret_cast<const uint32_t*>(hashes.data()), 2 * count, 2);
  }
  const Tensor stored = WithTrueBools(part);
  switch (const auto bytes = static_cast<int64_t>(DTypeSize(part.dtype()))) {
    case 1:
      return visit(static_cast<const uint8_t*>(stored.raw()), count, 1);
    case 2:
      return visit(static_cast<const uint16_t*>(stored.raw()), count, 1);
    default:
      return visit(static_cast<const uint32_t*>(stored.raw()), bytes / 4 * count, bytes / 4);
  }
}

}  // namespace

uint64_t FingerprintOf(const Tensor& part, int64_t first) {
  uint64_t sum = 0;
  if (part.num_elements() == 0) return sum;
  VisitWords(part, [&](const auto* words, int64_t count, int64_t each) { sum = SumOf(words, count, first * each); });
  return sum;
}

uint64_t FingerprintOf(const Tensor& part, ThreadPool& pool) {
  std::atomic<uint64_t> sum{0};
  if (part.num_elements() == 0) return 0;
  VisitWords(part, [&](const auto* words, int64_t count, int64_t /*each*/) {
    pool.ParallelFor(count, kShare, [&](int64_t begin, int64_t end) {
      sum.fetch_add(SumOf(words + begin, end - begin, begin), std::memory_order_relaxed);
    });
  });
  return sum.load(std::memory_order_relaxed);
}

uint64_t ShareOfVariable(std::string_view name, uint64_t fingerprint) {
  return Mix(fingerprint ^ HashOfText(name));
}

}  // namespace dfrun
