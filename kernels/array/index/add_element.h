// Adding up elements where indices repeat.
#ifndef DFRUN_KERNELS_ARRAY_INDEX_ADD_ELEMENT_H_
#define DFRUN_KERNELS_ARRAY_INDEX_ADD_ELEMENT_H_

#include <cstdint>
#include <type_traits>

namespace dfrun {

// a + b; integers wrap around, bools are joined by "or", strings put together, 16-bit floating point is rounded after
// each addition.
template <class T>
constexpr T AddElement(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, bool>) {
    return a || b;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  } else {
    return static_cast<T>(a + b);
  }
}

// a - b, not for bools and strings.
template <class T>
constexpr T SubtractElement(const T& a, const T& b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
  } else {
    return static_cast<T>(a - b);
  }
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_INDEX_ADD_ELEMENT_H_
