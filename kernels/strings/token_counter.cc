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

TokenCounter::TokenCounter(const Letters& letters) : letters_(letters), table_(kFirstTable) {}

void TokenCounter::Add(std::string_view text) {
  if (letters_.are_unicode()) {
    AddUnicode(text);
  } else {
    AddBytes(text);
  }
}

void TokenCounter::AddBytes(std::string_view text) {
  const ByteSet& letters = letters_.bytes();
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    while (at < end && !letters.Holds(*at)) ++at;
    if (at == end) return;
    const char* const begin = at;
    uint64_t hash = kHashBasis;
    for (; at < end && letters.Holds(*at); ++at) hash = (hash ^ static_cast<unsigned char>(*at)) * kHashPrime;
    Count({begin, static_cast<size_t>(at - begin)}, hash);
  }
}

void TokenCounter::AddUnicode(std::string_view text) {
  size_t begin = 0;  // begin of a token that has not ended
  uint64_t hash = kHashBasis;
  for (size_t at = 0; at < text.size();) {
    const Letters::Character first = Letters::FirstOfUnicode(text.substr(at));
    if (first.is_letter) {
      for (size_t i = at; i < at + first.bytes; ++i) hash = (hash ^ static_cast<unsigned char>(text[i])) * kHashPrime;
      at += first.bytes;
      continue;
    }
    if (begin < at) Count(text.substr(begin, at - begin), hash);
    at += first.bytes;
    begin = at;
    hash = kHashBasis;
  }
  if (begin < text.size()) Count(text.substr(begin), hash);
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
