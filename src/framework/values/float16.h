// 16-bit floating-point element types: storage types whose arithmetic is done in float and rounded to nearest even.
#ifndef DFRUN_SRC_FRAMEWORK_VALUES_FLOAT16_H_
#define DFRUN_SRC_FRAMEWORK_VALUES_FLOAT16_H_

#include <bit>
#include <cstdint>

namespace dfrun {

// The upper half of a float32.
struct bfloat16 {
  uint16_t bits;

  bfloat16() = default;
  constexpr explicit bfloat16(float value) : bits(FromFloat(value)) {}
  constexpr operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }  // NOLINT

  static constexpr uint16_t FromFloat(float value) {
    const uint32_t u = std::bit_cast<uint32_t>(value);
    if ((u & 0x7fffffffU) > 0x7f800000U) return static_cast<uint16_t>((u >> 16) | 0x40U);  // NaN stays a quiet NaN
    return static_cast<uint16_t>((u + 0x7fffU + ((u >> 16) & 1U)) >> 16);
  }
};

// IEEE 754 binary16.
struct float16 {
  uint16_t bits;

  float16() = default;
  constexpr explicit float16(float value) : bits(FromFloat(value)) {}
  constexpr operator float() const { return ToFloat(bits); }  // NOLINT(google-explicit-constructor)

  static constexpr uint16_t FromFloat(float value) {
    const uint32_t u = std::bit_cast<uint32_t>(value);
    const uint32_t sign = (u >> 16) & 0x8000U;
    const uint32_t magnitude = u & 0x7fffffffU;
    if (magnitude > 0x7f800000U) return static_cast<uint16_t>(sign | 0x7e00U);
    if (magnitude >= 0x477ff000U) return static_cast<uint16_t>(sign | 0x7c00U);  // 65520 and above round to infinity
    if (magnitude < 0x38800000U) {  // subnormal: adding 0.5 aligns the mantissa, and the FPU rounds to nearest even
      const float aligned = std::bit_cast<float>(magnitude) + 0.5F;
      return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(aligned) - 0x3f000000U));
    }
    const uint32_t rounded = magnitude + 0xfffU + ((magnitude >> 13) & 1U);
    return static_cast<uint16_t>(sign | ((rounded - 0x38000000U) >> 13));
  }

  static constexpr float ToFloat(uint16_t h) {
    const uint32_t sign = static_cast<uint32_t>(h & 0x8000U) << 16;
    const uint32_t magnitude = h & 0x7fffU;
    if (magnitude >= 0x7c00U) return std::bit_cast<float>(sign | 0x7f800000U | ((magnitude & 0x3ffU) << 13));
    if (magnitude >= 0x0400U) return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000U));
    const float subnormal = static_cast<float>(magnitude) * 0x1p-24F;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(subnormal));
  }
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_VALUES_FLOAT16_H_
