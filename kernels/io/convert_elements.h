// Numbers of one dtype as those of another.
#ifndef DFRUN_KERNELS_IO_CONVERT_ELEMENTS_H_
#define DFRUN_KERNELS_IO_CONVERT_ELEMENTS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "src/framework/values/dtype.h"

namespace dfrun {

// True for bool and real numbers, either way, and for equal dtypes.
bool IsConvertible(DType from, DType to);

// An element for which the other dtype has no value: a number out of its range, and for integers a float that is not
// finite.
struct Unconvertible {
  int64_t element = 0;
  std::string text;  // its value
};
// Converts `count` elements, as Cast does: floats to integers towards zero, integers to the nearest float, numbers
// other than 0 to true. The first element that cannot be, where there is one; those after it may then not be set.
[[nodiscard]] std::optional<Unconvertible> ConvertElements(DType from, const void* source, DType to, void* target,
                                                           int64_t count);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_CONVERT_ELEMENTS_H_
