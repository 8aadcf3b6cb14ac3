// The reducers of segment ops that differ from those of reductions.
#ifndef DFRUN_KERNELS_MATH_SEGMENT_SEGMENT_REDUCERS_H_
#define DFRUN_KERNELS_MATH_SEGMENT_SEGMENT_REDUCERS_H_

#include <cmath>
#include <limits>

#include "kernels/math/functions/reducers.h"

namespace dfrun::red {

// The sum of integers wraps around before it is divided.
struct SegmentMean : Sum {
  template <class T>
  DF_HOST_DEVICE static T Finish(Accumulator<T> a, int64_t rows) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<T>(a) / static_cast<WideInteger<T>>(rows));
    } else {
      return Mean::Finish<T>(a, rows);
    }
  }

 private:
  template <class T>
  using WideInteger = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
};

// The sum divided by the root of the number of rows.
struct SqrtN : Sum {
  template <class T>
  DF_HOST_DEVICE static T Finish(Accumulator<T> a, int64_t rows) {
    return static_cast<T>(a / std::sqrt(static_cast<Accumulator<T>>(rows)));
  }
};

// Extremes among the finite numbers: an infinite one counts as the largest or smallest of them.
struct FiniteMax : Max {
  template <class T>
  DF_HOST_DEVICE static T Finish(Accumulator<T> a, int64_t) {
    return static_cast<T>(a < LowestOf<T>() ? LowestOf<T>() : a);
  }
};

struct FiniteMin : Min {
  template <class T>
  DF_HOST_DEVICE static T Finish(Accumulator<T> a, int64_t) {
    return static_cast<T>(a > HighestOf<T>() ? HighestOf<T>() : a);
  }
};

}  // namespace dfrun::red

#endif  // DFRUN_KERNELS_MATH_SEGMENT_SEGMENT_REDUCERS_H_
