// Numbers as bytes of files and messages, the lowest byte first, as every host of dfrun has them. ByteReader takes
// those of bytes that may be damaged.
#ifndef DFRUN_SRC_BASE_NUMBER_BYTES_H_
#define DFRUN_SRC_BASE_NUMBER_BYTES_H_

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace dfrun {

// Appends the bytes of a number of a type of fixed size.
template <class T>
void AppendNumber(T number, std::string& to) {
  static_assert(std::is_arithmetic_v<T>);
  to.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// Returns the number whose bytes begin at `at`; `bytes` has all of them.
template <class T>
T NumberAt(std::string_view bytes, size_t at) {
  static_assert(std::is_arithmetic_v<T>);
  T number;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_NUMBER_BYTES_H_
