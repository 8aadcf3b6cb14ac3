// exp of lines of floats, times a power of two that is chosen first: a row of which the largest element is not known
// yet overflows nowhere, and quotients of two of its results depend in no bit on the factor, which rounds nothing.
#ifndef DFRUN_KERNELS_MATH_FUNCTIONS_SCALED_EXP_H_
#define DFRUN_KERNELS_MATH_FUNCTIONS_SCALED_EXP_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/math/functions/line_functions.h"

namespace dfrun {

// All elements of an array joined in the order of a tree: loops of known lengths, which the compiler keeps in
// registers.
template <int64_t kCount, class T, class Join>
T Joined(const T* all, Join&& join) {
  if constexpr (kCount == 1) {
    return all[0];
  } else {
    T half[kCount / 2];
    for (int64_t l = 0; l < kCount / 2; ++l) half[l] = join(all[l], all[l + kCount / 2]);
    return Joined<kCount / 2>(half, join);
  }
}

// exp(x) * 2^-n with the whole number n next to near / ln(2): exp(x * (1 + 3e-9)) within 1.1 ulps.
class ScaledExp {
 public:
  explicit ScaledExp(float near) : takes_(std::fabs(near) <= kFarthest) {
    const float n = takes_ ? std::nearbyint(near * kLog2E) : 0.0F;
    shift_ = kShift - n * kSteps;
    lowest_ = (n - 126) * kLn2;
  }

  // Writes the scaled exponentials of kLineFloats elements; 0 where one would be below the normal numbers, NaN of NaN.
  void Line(const float* x, float* y) {
    alignas(64) float sums[kLineFloats];
    alignas(64) float parts[kLineFloats];
#pragma GCC unroll 1  // or it is unrolled before it is vectorised, and choices then find no vectors
    for (int64_t l = 0; l < kLineFloats; ++l) {
      const float sum = std::fma(x[l], kSteps * kLog2E, shift_);
      sums[l] = sum;
      const float r = std::fma(sum - shift_, -kLn2 / kSteps, x[l]);
      parts[l] = Slope(r) * r;
    }
    IntLine sum_bits;
    std::memcpy(&sum_bits, sums, sizeof(sum_bits));
    highest_ = sum_bits > highest_ ? sum_bits : highest_;
    BitLine bits;
    std::memcpy(&bits, sums, sizeof(bits));
    ToPowers(bits);
    alignas(64) float powers[kLineFloats];
    std::memcpy(powers, &bits, sizeof(bits));
#pragma GCC unroll 1
    for (int64_t l = 0; l < kLineFloats; ++l) {
      const float result = std::fma(parts[l], powers[l], powers[l]);
      y[l] = x[l] < lowest_ ? 0.0F : result;
    }
  }

  // True if the results of Line() hold: `near` and all of x are close enough to 0 and to each other.
  bool Holds() const {
    alignas(64) int32_t lanes[kLineFloats];
    std::memcpy(lanes, &highest_, sizeof(lanes));
    const int32_t highest = Joined<kLineFloats>(lanes, [](int32_t a, int32_t b) { return b > a ? b : a; });
    return takes_ && highest <= std::bit_cast<int32_t>(kShift + kMaxPowers * kSteps);
  }

 private:
#ifdef DFRUN_LINE_TABLES
  static constexpr int kStepBits = kExpStepBits;
  static float Slope(float r) {
    return ExpStepSlope(r);
  }
  static void ToPowers(BitLine& n) {
    n = __builtin_shuffle(kExpSteps, n) + (n >> kStepBits << 23);
  }
#else
  static constexpr int kStepBits = 0;
  static float Slope(float r) {
    return ExpSlope(r);
  }
  static void ToPowers(BitLine& n) {
    n = (n << 23) + 0x3f800000;
  }
#endif
  static constexpr float kSteps = 1 << kStepBits;  // steps of n to the next power of two
  static constexpr float kShift = 0x1.8p23F;       // a sum with it keeps the bits of an integer only
  static constexpr float kLog2E = 1.44269504F;
  static constexpr float kLn2 = 0.693147181F;  // less 2.7e-9 of it: one float is enough
  static constexpr float kFarthest = 4096;     // n * kSteps is exact
  static constexpr float kMaxPowers = 100;     // leaves room for sums

  const bool takes_;
  float shift_;
  float lowest_;
  IntLine highest_ = {};  // bits of the largest sums
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_FUNCTIONS_SCALED_EXP_H_
