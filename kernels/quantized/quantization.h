// Conversions between real numbers and quantised integers: an integer of the type Q represents a point of a range of
// floats. Source: TensorFlow's quantization_utils; where it computes in float so does this, to the same bits.
#ifndef DFRUN_KERNELS_QUANTIZED_QUANTIZATION_H_
#define DFRUN_KERNELS_QUANTIZED_QUANTIZATION_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "src/framework/kernel/kernel.h"

namespace dfrun::quantized {

// The C++ integer inside a quantised type.
template <class Q>
using IntegerOf = decltype(Q::value);

template <class Q>
struct Limits {
  using I = IntegerOf<Q>;
  static constexpr bool kSigned = std::is_signed_v<I>;
  static constexpr int64_t kHighest = std::numeric_limits<I>::max();
  static constexpr int64_t kLowest = kSigned ? -kHighest - 1 : 0;
  static constexpr double kSteps = static_cast<double>(kHighest - kLowest + 1);
  // Half of the steps where the type is signed: the offset between a count from the lowest value and the value.
  static constexpr float kHalf = kSigned ? static_cast<float>(kSteps / 2) : 0.0F;
};

struct Range {
  float min;
  float max;
};

// A number that was rounded, as an integer. As on x86 one beyond the integers becomes the least; NaN becomes 0.
inline int64_t ToInt64(double x) {
  if (std::isnan(x)) return 0;
  return x >= -0x1p63 && x < 0x1p63 ? static_cast<int64_t>(x) : INT64_MIN;
}
inline int32_t ToInt32(float x) {
  if (std::isnan(x)) return 0;
  return x >= -0x1p31F && x < 0x1p31F ? static_cast<int32_t>(x) : INT32_MIN;
}
// The code of a rounded number that is within Q's limits, or any for qint32.
template <class Q>
Q FromRounded(float x) {
  return Q{static_cast<IntegerOf<Q>>(ToInt32(x))};
}

// The integer of Q nearest to x without regard to Q's limits.
template <class Q>
int64_t UnclampedCode(float x, const Range& range) {
  using L = Limits<Q>;
  if (range.min == range.max) return L::kLowest;
  const double width = static_cast<double>(range.max - range.min) * (L::kSteps / (L::kSteps - 1.0));
  const double scale = L::kSteps / width;
  const double steps = std::round(static_cast<double>(x) * scale) - std::round(static_cast<double>(range.min) * scale);
  return static_cast<int64_t>(static_cast<uint64_t>(ToInt64(steps)) + static_cast<uint64_t>(L::kLowest));
}
template <class Q>
Q CodeOf(float x, const Range& range) {
  const int64_t code = std::clamp(UnclampedCode<Q>(x, range), Limits<Q>::kLowest, Limits<Q>::kHighest);
  return Q{static_cast<IntegerOf<Q>>(code)};
}

// The value that an integer of Q represents; for one that no float has, the value of the nearest float.
template <class Q>
float ValueOf(Q code, const Range& range) {
  using L = Limits<Q>;
  if (range.min == range.max) return range.min;
  const double width = static_cast<double>(range.max - range.min) * (L::kSteps / (L::kSteps - 1.0));
  const double scale = width / L::kSteps;
  const auto rough = static_cast<float>(scale);
  const double lowest = static_cast<double>(std::round(range.min / rough) * rough);
  const auto nearest = static_cast<double>(static_cast<float>(code.value));
  return static_cast<float>(lowest + (nearest - static_cast<double>(L::kLowest)) * scale);
}

// Many integers as the floats that they represent; 0 is one of those.
template <class Q>
struct ToFloat {
  float scale;
  float offset;

  explicit ToFloat(const Range& range)
      : scale(static_cast<float>(static_cast<double>(range.max - range.min) / (Limits<Q>::kSteps - 1.0))) {
    const float lowest = range.max == range.min ? range.min : std::round(range.min / scale) * scale;
    offset = lowest - static_cast<float>(Limits<Q>::kLowest) * scale;
  }
  float operator()(Q code) const { return offset + static_cast<float>(code.value) * scale; }
};

// Many floats as the nearest integers.
template <class Q>
struct ToCode {
  float scale;
  float offset;

  explicit ToCode(const Range& range)
      : scale(range.max == range.min
                  ? 0.0F
                  : static_cast<float>((Limits<Q>::kSteps - 1.0) / static_cast<double>(range.max - range.min))),
        offset(std::round(range.min * scale) - static_cast<float>(Limits<Q>::kLowest)) {}
  // Floats that can become int32 again.
  static constexpr float kLower = static_cast<float>(Limits<Q>::kLowest);
  static constexpr float kUpper = sizeof(Q) == 4 ? 2147483520.0F : static_cast<float>(Limits<Q>::kHighest);

  Q operator()(float x) const {
    const float code = std::round(x * scale) - offset;
    return FromRounded<Q>(code < kLower ? kLower : code > kUpper ? kUpper : code);
  }
};

// Input i as a scalar; InvalidArgument for another shape.
Result<float> ScalarInput(const OpContext& ctx, int i);
// Inputs i and i + 1 as the ends of a range.
Result<Range> RangeInput(const OpContext& ctx, int i);
// Output i is the scalar `value`.
Status PutScalar(OpContext& ctx, int i, float value);
// Outputs 1 and 2 are the range's ends.
Status PutRange(OpContext& ctx, const Range& range);

// Codes for which the least and the greatest of `codes` stand, of which the first is at most 0.
Range UsedRange(std::span<const qint32> codes, const Range& range);

// Elements that one thread takes: some 10 us.
constexpr int64_t kBlock = 16384;

// to[i] = f(from[i]) over the pool.
template <class From, class To, class F>
void Map(ThreadPool& pool, const From* from, To* to, int64_t n, const F& f) {
  pool.ParallelFor(n, kBlock, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = f(from[i]);
  });
}

// A tensor whose dimension `axis` has a range for each of its slices: [outer, slices, inner]. One slice where the axis
// is -1.
struct Slices {
  int64_t outer = 1;
  int64_t count = 1;
  int64_t inner = 1;

  // InvalidArgument for an axis that the tensor has not.
  static Result<Slices> Of(const Shape& shape, int64_t axis);

  // Calls body(slice, begin, n) for each stretch of n elements of one slice.
  template <class Body>
  void ForEach(ThreadPool& pool, const Body& body) const {
    pool.ParallelFor(outer * count, kBlock / (inner + 1) + 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) body(i % count, i * inner, inner);
    });
  }
};

}  // namespace dfrun::quantized

#endif  // DFRUN_KERNELS_QUANTIZED_QUANTIZATION_H_
