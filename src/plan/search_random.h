// Random numbers that are the same for a seed with every compiler, which those of <random>'s distributions are not.
//
// Thread safety: none.
#ifndef DFRUN_SRC_PLAN_SEARCH_RANDOM_H_
#define DFRUN_SRC_PLAN_SEARCH_RANDOM_H_

#include <cstdint>

namespace dfrun {

// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
class SearchRandom {
 public:
  explicit SearchRandom(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // Returns a number from 0 to `count` - 1; count > 0.
  int Below(int count) { return static_cast<int>((Next() >> 32) * static_cast<uint64_t>(count) >> 32); }
  // Returns a number in [0, 1).
  double Fraction() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_SEARCH_RANDOM_H_
