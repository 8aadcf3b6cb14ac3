#include "src/spec/seed.h"

namespace dfrun {
namespace {

// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): every input bit changes about half of the output's.
uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Takes 31 bits, as TensorFlow's Python gives to ops, and never 0, which means "not fixed" there.
int64_t ToAttr(uint64_t hash) {
  return static_cast<int64_t>(hash % 0x7fffffff) + 1;
}

}  // namespace

OpSeeds SeedsOf(int64_t spec_seed, std::string_view node) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : node) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  hash = Mix(hash ^ Mix(static_cast<uint64_t>(spec_seed)));
  return {ToAttr(hash), ToAttr(Mix(hash))};
}

}  // namespace dfrun
