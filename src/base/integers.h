// Integer arithmetic for sizes in blocks and cache lines.
#ifndef DFRUN_SRC_BASE_INTEGERS_H_
#define DFRUN_SRC_BASE_INTEGERS_H_

namespace dfrun {

// a / b, rounded up. a >= 0, b > 0, and a + b does not overflow.
template <class T>
constexpr T CeilDiv(T a, T b) {
  return (a + b - 1) / b;
}

// The least multiple of b that is not below a; the same conditions.
template <class T>
constexpr T RoundUp(T a, T b) {
  return CeilDiv(a, b) * b;
}

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_INTEGERS_H_
