// RangeCount(): the number of a Range's elements, for its shape function and its kernel.
#ifndef DFRUN_KERNELS_ARRAY_COPY_RANGE_COUNT_H_
#define DFRUN_KERNELS_ARRAY_COPY_RANGE_COUNT_H_

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "src/base/status.h"

namespace dfrun {

// The number of elements of a range; InvalidArgument where there is none that makes sense.
template <class T>
Result<int64_t> RangeCount(T start, T limit, T delta) {
  if (!(delta > 0 || delta < 0)) return InvalidArgument("Range needs a delta other than 0 and NaN");
  if (delta > 0 ? start > limit : start < limit) {
    return InvalidArgument("Range from ", +start, " to ", +limit, " in steps of ", +delta,
                           " has no elements: the step leads away from the limit");
  }
  if constexpr (std::is_integral_v<T>) {
    const uint64_t distance = delta > 0 ? static_cast<uint64_t>(limit) - static_cast<uint64_t>(start)
                                        : static_cast<uint64_t>(start) - static_cast<uint64_t>(limit);
    const uint64_t step = delta > 0 ? static_cast<uint64_t>(delta) : uint64_t{0} - static_cast<uint64_t>(delta);
    const uint64_t count = distance / step + (distance % step != 0 ? 1 : 0);
    if (count > static_cast<uint64_t>(INT64_MAX)) return InvalidArgument("Range has more than 2^63 elements");
    return static_cast<int64_t>(count);
  } else {
    const double count =
        std::ceil(std::abs((static_cast<double>(limit) - static_cast<double>(start)) / static_cast<double>(delta)));
    if (!(count < 0x1p62)) return InvalidArgument("Range has ", count, " elements");
    return static_cast<int64_t>(count);
  }
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_COPY_RANGE_COUNT_H_
