// Distributions over Philox blocks. A distribution makes kGroup values at a time:
//     template <class T> a struct with
//         static constexpr int kGroup;           // values of a group
//         static constexpr int64_t kBlocks;      // Philox blocks that a group may use
//         void operator()(const Philox::Block& bits, T* values) const;   // where that is one
//         void operator()(Philox generator, T* values) const;            // where it is more
// Source: TensorFlow's random distributions; results are equal to its CPU kernels' where logf, sinf and cosf are.
#ifndef DFRUN_KERNELS_RANDOM_DISTRIBUTIONS_H_
#define DFRUN_KERNELS_RANDOM_DISTRIBUTIONS_H_

#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/random/philox.h"

namespace dfrun::dist {

// A number in [0, 1): random mantissa bits under the exponent of 1, minus 1.
DF_HOST_DEVICE inline float UnitFloat(uint32_t x) {
  return std::bit_cast<float>((x & 0x7fffffU) | 0x3f800000U) - 1.0F;
}
DF_HOST_DEVICE inline double UnitDouble(uint32_t high, uint32_t low) {
  const uint64_t mantissa = (uint64_t{high & 0xfffffU} << 32) | low;
  return std::bit_cast<double>(mantissa | (uint64_t{1023} << 52)) - 1.0;
}
DF_HOST_DEVICE inline float16 UnitHalf(uint32_t x) {
  float16 one_and_more;
  one_and_more.bits = static_cast<uint16_t>((x & 0x3ffU) | (15U << 10));
  return float16(one_and_more - 1.0F);
}
DF_HOST_DEVICE inline bfloat16 UnitBfloat16(uint32_t x) {
  bfloat16 one_and_more;
  one_and_more.bits = static_cast<uint16_t>((x & 0x7fU) | (127U << 7));
  return bfloat16(one_and_more - 1.0F);
}

// Two independent normal numbers from uniform bits (Box and Muller).
DF_HOST_DEVICE inline void NormalPair(uint32_t x0, uint32_t x1, float* pair) {
  const float u1 = std::fmax(UnitFloat(x0), 1.0e-7F);
  const auto angle = static_cast<float>(2.0F * M_PI * UnitFloat(x1));
  const float radius = std::sqrt(-2.0F * std::log(u1));
  pair[0] = std::sin(angle) * radius;
  pair[1] = std::cos(angle) * radius;
}
DF_HOST_DEVICE inline void NormalPair(uint32_t x0, uint32_t x1, uint32_t x2, uint32_t x3, double* pair) {
  const double u1 = std::fmax(UnitDouble(x0, x1), 1.0e-7);
  const double angle = 2 * M_PI * UnitDouble(x2, x3);
  const double radius = std::sqrt(-2.0 * std::log(u1));
  pair[0] = std::sin(angle) * radius;
  pair[1] = std::cos(angle) * radius;
}

template <class T>
struct Uniform {
  static constexpr int kGroup = std::is_same_v<T, double> ? 2 : 4;
  static constexpr int64_t kBlocks = 1;
  DF_HOST_DEVICE void operator()(const Philox::Block& bits, T* values) const {
    for (int i = 0; i < kGroup; ++i) {
      if constexpr (std::is_same_v<T, double>) {
        values[i] = UnitDouble(bits[2 * i], bits[2 * i + 1]);
      } else if constexpr (std::is_same_v<T, float>) {
        values[i] = UnitFloat(bits[i]);
      } else if constexpr (std::is_same_v<T, float16>) {
        values[i] = UnitHalf(bits[i]);
      } else {
        values[i] = UnitBfloat16(bits[i]);
      }
    }
  }
};

// Integers over all that T holds.
template <class T>
struct FullInt {
  static constexpr int kGroup = sizeof(T) == 8 ? 2 : 4;
  static constexpr int64_t kBlocks = 1;
  DF_HOST_DEVICE void operator()(const Philox::Block& bits, T* values) const {
    for (int i = 0; i < kGroup; ++i) {
      if constexpr (sizeof(T) == 8) {
        values[i] = static_cast<T>(bits[2 * i] | (uint64_t{bits[2 * i + 1]} << 32));
      } else {
        values[i] = static_cast<T>(bits[i]);
      }
    }
  }
};

// Integers in [low, low + range), by remainder.
template <class T>
struct UniformInt {
  using Unsigned = std::make_unsigned_t<T>;
  static constexpr int kGroup = FullInt<Unsigned>::kGroup;
  static constexpr int64_t kBlocks = 1;
  Unsigned low;
  Unsigned range;
  DF_HOST_DEVICE void operator()(const Philox::Block& bits, T* values) const {
    Unsigned numbers[kGroup];
    FullInt<Unsigned>()(bits, numbers);
    for (int i = 0; i < kGroup; ++i) values[i] = static_cast<T>(low + numbers[i] % range);
  }
};

template <class T>
struct Normal {
  static constexpr int kGroup = std::is_same_v<T, double> ? 2 : 4;
  static constexpr int64_t kBlocks = 1;
  DF_HOST_DEVICE void operator()(const Philox::Block& bits, T* values) const {
    if constexpr (std::is_same_v<T, double>) {
      NormalPair(bits[0], bits[1], bits[2], bits[3], values);
    } else {
      float pairs[4];
      NormalPair(bits[0], bits[1], pairs);
      NormalPair(bits[2], bits[3], pairs + 2);
      for (int i = 0; i < 4; ++i) values[i] = static_cast<T>(pairs[i]);
    }
  }
};

// Normal numbers of which those beyond two standard deviations are drawn again.
template <class T>
struct TruncatedNormal {
  static constexpr int kGroup = std::is_same_v<T, double> ? 2 : 4;
  // Each value may use 256 numbers, so that a group's numbers do not depend on how many the one before it used.
  static constexpr int64_t kBlocks = kGroup * 256 / 4;
  DF_HOST_DEVICE void operator()(Philox generator, T* values) const {
    using C = std::conditional_t<std::is_same_v<T, double>, double, float>;
    PhiloxNumbers numbers(generator);
    for (int n = 0; n < kGroup;) {
      C pair[2];
      uint32_t x[4];
      for (int i = 0; i < (sizeof(C) == 8 ? 4 : 2); ++i) x[i] = numbers.Next();
      if constexpr (std::is_same_v<C, double>) {
        NormalPair(x[0], x[1], x[2], x[3], pair);
      } else {
        NormalPair(x[0], x[1], pair);
      }
      for (int i = 0; i < 2 && n < kGroup; ++i) {
        if (std::abs(pair[i]) < C(2)) values[n++] = static_cast<T>(pair[i]);
      }
    }
  }
};

}  // namespace dfrun::dist

#endif  // DFRUN_KERNELS_RANDOM_DISTRIBUTIONS_H_
