#include "kernels/strings/token_counter.h"

namespace dfrun {
namespace {

constexpr uint64_t kHashBasis = 0xcbf29ce484222325;
constexpr uint64_t kHashPrime = 0x100000001b3;  // FNV-1a: one multiplication a byte, taken on the way of the scan
constexpr size_t kFirstTable = 1 << 12;

size_t Spread(uint64_t hash) {
  return static_cast<size_t>(hash ^ (hash >> 29));
}

}  // namespace

TokenCounter::TokenCounter(const ByteSet& letters) : letters_(letters), table_(kFirstTable) {}

void TokenCounter::Add(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    const char* const begin = at;
    uint64_t hash = kHashBasis;
    for (; at < end && letters_.Holds(*at); ++at) hash = (hash ^ static_cast<unsigned char>(*at)) * kHashPrime;
    Count({begin, static_cast<size_t>(at - begin)}, hash);
    while (at < end && !letters_.Holds(*at)) ++at;
  }
}

void TokenCounter::Count(std::string_view token, uint64_t hash) {
  const size_t mask = table_.size() - 1;
  for (size_t i = Spread(hash) & mask;; i = (i + 1) & mask) {
    if (table_[i] == 0) {
      tokens_.push_back({token, hash, 1});
      table_[i] = static_cast<uint32_t>(tokens_.size());
      if (tokens_.size() * 2 > table_.size()) Grow();
      return;
    }
    Token& known = tokens_[table_[i] - 1];
    if (known.hash == hash && known.text == token) {
      ++known.count;
      return;
    }
  }
}

void TokenCounter::Grow() {
  std::vector<uint32_t> table(table_.size() * 2);
  const size_t mask = table.size() - 1;
  for (size_t t = 0; t < tokens_.size(); ++t) {
    size_t i = Spread(tokens_[t].hash) & mask;
    while (table[i] != 0) i = (i + 1) & mask;
    table[i] = static_cast<uint32_t>(t + 1);
  }
  table_ = std::move(table);
}

}  // namespace dfrun
