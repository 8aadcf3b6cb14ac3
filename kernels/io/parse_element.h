// Elements of tensors from their text.
#ifndef DFRUN_KERNELS_IO_PARSE_ELEMENT_H_
#define DFRUN_KERNELS_IO_PARSE_ELEMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "src/framework/values/tensor.h"

namespace dfrun {

// True if text of this dtype can be parsed: real numbers, bool and string.
bool IsParsed(DType dtype);

// Parses element `at` of `to` from `text`, white space around numbers aside. Integers may be written with a fraction of
// zeros or an exponent ("3.0", "1e3") where that is exact, bools as 0, 1, true or false. `is_exact`: an integer
// (digits, or digits and a fraction of zeros) that the dtype would round is refused with NoInput, since the reader of
// the file did not ask for this dtype. InvalidArgument for text that is no value of the dtype, a finite number beyond
// its range among it.
Status ParseElement(std::string_view text, bool is_exact, Tensor& to, int64_t at);

// The number of digits from which on the dtype may not hold an integer, or may hold another in its place where
// `is_exact`; nothing where that makes no error.
std::optional<size_t> LongDigits(DType dtype, bool is_exact);
// Digits in a row.
struct DigitRun {
  size_t begin = 0;
  size_t count = 0;
};
// The first run of at least so many digits that begins at `from` or behind it, those of fractions aside; nothing where
// there is none.
std::optional<DigitRun> FindLongInteger(std::string_view text, size_t digits, size_t from);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_PARSE_ELEMENT_H_
