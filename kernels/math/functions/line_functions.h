// Functions of 16 floats at a time by tables in registers. A permutation picks the entry that each lane needs;
// compilers make none of an array in memory. DFRUN_LINE_TABLES: the machine and the compiler have that permutation.
#ifndef DFRUN_KERNELS_MATH_FUNCTIONS_LINE_FUNCTIONS_H_
#define DFRUN_KERNELS_MATH_FUNCTIONS_LINE_FUNCTIONS_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "kernels/math/functions/float_functions.h"

namespace dfrun {

constexpr int64_t kLineFloats = 16;
typedef float FloatLine __attribute__((vector_size(64)));   // NOLINT: `using` takes no such attribute on clang 14
typedef int32_t IntLine __attribute__((vector_size(64)));   // NOLINT
typedef uint32_t BitLine __attribute__((vector_size(64)));  // NOLINT

#if defined(__AVX512F__) && !defined(__clang__)
#define DFRUN_LINE_TABLES 1

// The bits of 2^(i / 16).
constexpr int kExpStepBits = 4;
constexpr BitLine kExpSteps = {0x3f800000, 0x3f85aac3, 0x3f8b95c2, 0x3f91c3d3, 0x3f9837f0, 0x3f9ef532,
                               0x3fa5fed7, 0x3fad583f, 0x3fb504f3, 0x3fbd08a4, 0x3fc5672a, 0x3fce248c,
                               0x3fd744fd, 0x3fe0ccdf, 0x3feac0c7, 0x3ff5257d};
// (exp(r) - 1) / r for |r| <= ln(2) / 32.
inline float ExpStepSlope(float r) {
  return std::fma(std::fma(0.16666667F, r, 0.5F), r, 1.0F);
}

// y = exp(x) for kLineFloats elements, within 1.1 ulps; results below the normal numbers are 0. `y` may be `x`.
inline void ExpLine(const float* x, float* y) {
  constexpr float kShift = 0x1.8p23F;
  constexpr float kSteps = 1 << kExpStepBits;
  alignas(64) float from[kLineFloats];
  alignas(64) float sums[kLineFloats];
  alignas(64) float parts[kLineFloats];
  std::memcpy(from, x, sizeof(from));
#pragma GCC unroll 1  // or it is unrolled before it is vectorised, and choices then find no vectors
  for (int64_t l = 0; l < kLineFloats; ++l) {
    const float sum = std::fma(from[l], kSteps * 1.44269504F, kShift);
    const float n = sum - kShift;
    sums[l] = sum;
    const float r = std::fma(n, -kLn2Low / kSteps, std::fma(n, -kLn2High / kSteps, from[l]));
    parts[l] = ExpStepSlope(r) * r;
  }
  BitLine n;
  std::memcpy(&n, sums, sizeof(n));
  const BitLine steps = __builtin_shuffle(kExpSteps, n);
  // 2^n itself may be beyond the floats: n is added to the exponent of the factor.
  const BitLine exponents = n >> kExpStepBits << 23;
  alignas(64) float powers[kLineFloats];
  alignas(64) uint32_t units[kLineFloats];
  std::memcpy(powers, &steps, sizeof(powers));
  std::memcpy(units, &exponents, sizeof(units));
#pragma GCC unroll 1
  for (int64_t l = 0; l < kLineFloats; ++l) {
    const float power = std::fma(parts[l], powers[l], powers[l]);
    const float result = std::bit_cast<float>(std::bit_cast<uint32_t>(power) + units[l]);
    const float normal = from[l] < kExpLowest ? 0.0F : result;
    y[l] = from[l] <= kExpHighest ? normal : from[l] + std::numeric_limits<float>::infinity();
  }
}

// y = tanh(x) for kLineFloats elements, within 2.7 ulps. `y` may be `x`. |x| = a + r with a the nearest half below 8:
// tanh(a + r) = (tanh(a) + tanh(r)) / (1 + tanh(a) tanh(r)). From 8.67 on 1 is as near as the number below it. A line
// takes 12 cycles; with a table of 32 pieces of degree 5, in two registers, it takes 15.
inline void TanhLine(const float* x, float* y) {
  constexpr FloatLine kOfHalves = {0.0F,        0.46211717F, 0.76159418F, 0.90514827F, 0.96402758F, 0.98661429F,
                                   0.99505478F, 0.99817789F, 0.99932933F, 0.99975324F, 0.99990922F, 0.99996662F,
                                   0.99998772F, 0.99999547F, 0.99999833F, 0.9999994F};
  constexpr float kShift = 0x1.8p22F;  // a sum with it keeps the bits of halves only
  constexpr float kMaxHalves = 15;
  alignas(64) float from[kLineFloats];
  alignas(64) float parts[kLineFloats];
  alignas(64) int32_t sums[kLineFloats];
  std::memcpy(from, x, sizeof(from));
#pragma GCC unroll 1
  for (int64_t l = 0; l < kLineFloats; ++l) {
    const float size = std::fabs(from[l]);
    const auto sum = std::bit_cast<int32_t>(size + kShift);
    constexpr auto kMax = std::bit_cast<int32_t>(kShift + kMaxHalves / 2);
    sums[l] = sum > kMax ? kMax : sum;
    const float r = size - (std::bit_cast<float>(sums[l]) - kShift);
    const float s = r * r;
    parts[l] = std::fma(s * r, std::fma(std::fma(-0.051433053F, s, 0.13324263F), s, -0.3333324F), r);
  }
  IntLine halves;
  std::memcpy(&halves, sums, sizeof(halves));
  const FloatLine of_halves = __builtin_shuffle(kOfHalves, halves);
  alignas(64) float wholes[kLineFloats];
  std::memcpy(wholes, &of_halves, sizeof(wholes));
#pragma GCC unroll 1
  for (int64_t l = 0; l < kLineFloats; ++l) {
    const float result = (wholes[l] + parts[l]) / std::fma(wholes[l], parts[l], 1.0F);
    y[l] = std::copysign(std::fabs(from[l]) > 8.664F ? 1.0F : result, from[l]);
  }
}
#endif

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_FUNCTIONS_LINE_FUNCTIONS_H_
