// The counter-based generator Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3,
// SC11), with the layout of key and counter that TensorFlow's CPU kernels use: the same seeds give the same numbers.
#ifndef DFRUN_KERNELS_RANDOM_PHILOX_H_
#define DFRUN_KERNELS_RANDOM_PHILOX_H_

#include <array>
#include <cstdint>

#include "kernels/math/element.h"

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

  DF_HOST_DEVICE Block Next() {
    uint32_t c0 = Low(low_), c1 = High(low_), c2 = Low(high_), c3 = High(high_);
    uint32_t k0 = Low(key_), k1 = High(key_);
    for (int round = 0; round < 10; ++round) {
      const uint64_t p0 = uint64_t{0xD2511F53U} * c0;
      const uint64_t p1 = uint64_t{0xCD9E8D57U} * c2;
      c0 = High(p1) ^ c1 ^ k0;
      c2 = High(p0) ^ c3 ^ k1;
      c1 = Low(p1);
      c3 = Low(p0);
      k0 += 0x9E3779B9U;
      k1 += 0xBB67AE85U;
    }
    Skip(1);
    return {c0, c1, c2, c3};
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
  explicit PhiloxNumbers(const Philox& generator) : generator_(generator) {}
  uint32_t Next() {
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
