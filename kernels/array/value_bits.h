// Values compared and hashed: integers by their bits, one instantiation a size instead of one a type.
#ifndef DFRUN_KERNELS_ARRAY_VALUE_BITS_H_
#define DFRUN_KERNELS_ARRAY_VALUE_BITS_H_

#include <cstdint>
#include <type_traits>

#include "src/framework/values/float16.h"

namespace dfrun {

// The unsigned integer of the size of T for integers and bool; other types themselves.
template <class T>
using ValueBits =
    std::conditional_t<!std::is_integral_v<T>, T,
                       std::conditional_t<sizeof(T) == 1, uint8_t,
                                          std::conditional_t<sizeof(T) == 2, uint16_t,
                                                             std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>>;

// A type that T converts to without loss and that std::hash knows: float for 16-bit floating point.
template <class T>
using HashedAs = std::conditional_t<std::is_same_v<T, bfloat16> || std::is_same_v<T, float16>, float, T>;

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_VALUE_BITS_H_
