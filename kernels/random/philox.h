// The counter-based generator Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3,
// SC11), with the layout of key and counter that TensorFlow's CPU kernels use: the same seeds give the same numbers.
#ifndef DFRUN_KERNELS_RANDOM_PHILOX_H_
#define DFRUN_KERNELS_RANDOM_PHILOX_H_

#include <array>
#include <cstdint>

#include "kernels/math/functions/element.h"

namespace dfrun {

// Four 32-bit numbers from every value of a 128-bit counter. A copy is a generator of its own.
class Philox {
 public:
  using Block = std::array<uint32_t, 4>;

  // `seed` is the key, `seed2` the upper half of the counter.
  DF_HOST_DEVICE Philox(uint64_t seed, uint64_t seed2) : Philox(seed, 0, seed2) {}
  DF_HOST_DEVICE Philox(uint64_t key, uint64_t counter_low, uint64_t counter_high)
      : key_{key}, low_(counter_low), high_(counter_high) {}

  // Goes on by `blocks` blocks.
  DF_HOST_DEVICE void Skip(uint64_t blocks) {
    low_ += blocks;
    if (low_ < blocks) ++high_;
  }

  // The arguments of a constructor that makes a generator like this one: key, lower and upper half of the counter.
  std::array<uint64_t, 3> state() const { return {key_, low_, high_}; }

  DF_HOST_DEVICE Block Next() {
    Lanes<1> words = NextLanes<1>();
    return {words[0][0], words[1][0], words[2][0], words[3][0]};
  }

  // The next n blocks in lanes, which the compiler keeps in vectors: word w of block i is [w][i].
  template <int n>
  using Lanes = std::array<std::array<uint32_t, n>, 4>;
  template <int n>
  DF_HOST_DEVICE Lanes<n> NextLanes() {
    Lanes<n> c;
    for (int i = 0; i < n; ++i) {
      const uint64_t low = low_ + static_cast<uint64_t>(i);
      const uint64_t high = high_ + (low < low_ ? 1 : 0);
      c[0][i] = Low(low), c[1][i] = High(low), c[2][i] = Low(high), c[3][i] = High(high);
    }
    uint32_t k0 = Low(key_), k1 = High(key_);
    for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9U, k1 += 0xBB67AE85U) {
      for (int i = 0; i < n; ++i) {
        const uint64_t p0 = uint64_t{0xD2511F53U} * c[0][i];
        const uint64_t p1 = uint64_t{0xCD9E8D57U} * c[2][i];
        c[0][i] = High(p1) ^ c[1][i] ^ k0;
        c[2][i] = High(p0) ^ c[3][i] ^ k1;
        c[1][i] = Low(p1);
        c[3][i] = Low(p0);
      }
    }
    Skip(n);
    return c;
  }

 private:
  DF_HOST_DEVICE static uint32_t Low(uint64_t x) { return static_cast<uint32_t>(x); }
  DF_HOST_DEVICE static uint32_t High(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

  uint64_t key_;
  uint64_t low_;
  uint64_t high_;
};

// Philox one number at a time.
class PhiloxNumbers {
 public:
  DF_HOST_DEVICE explicit PhiloxNumbers(const Philox& generator) : generator_(generator) {}
  DF_HOST_DEVICE uint32_t Next() {
    if (used_ == block_.size()) {
      block_ = generator_.Next();
      used_ = 0;
    }
    return block_[used_++];
  }

 private:
  Philox generator_;
  Philox::Block block_;
  size_t used_ = block_.size();
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_RANDOM_PHILOX_H_
