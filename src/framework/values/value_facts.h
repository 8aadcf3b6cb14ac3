// Facts of the numbers in a tensor, and how far two tensors are apart.
#ifndef DFRUN_SRC_FRAMEWORK_VALUES_VALUE_FACTS_H_
#define DFRUN_SRC_FRAMEWORK_VALUES_VALUE_FACTS_H_

#include <cstdint>
#include <string>

#include "src/framework/values/tensor.h"

namespace dfrun {

// "float32[2,3], 1 nan, 0 inf, from -1.5 to 2"; the least and the greatest finite number, "no finite number" where
// there is none. Of complex numbers and others than numbers the dtype and shape alone. `value` is in host memory.
std::string DescribeNumbers(const Tensor& value);

// The distance of two tensors.
struct Distance {
  bool is_comparable = true;  // the dtypes and shapes are the same
  int64_t elements = 0;       // elements whose bits are not the same
  // The greatest distance in units of the last place, which is the number of representable numbers between two, and one
  // more; of numbers without fractions it is their difference. NaN and NaN are 0 apart, 0 and -0 too. kApart: a number
  // and NaN, or different elements of another kind.
  uint64_t ulps = 0;
  int64_t at = 0;  // the element that is furthest apart; the first of them

  static constexpr uint64_t kApart = UINT64_MAX;
};

// Compares two tensors in host memory.
Distance DistanceOf(const Tensor& a, const Tensor& b);

// "[1,2]", the place of an element; "" of a scalar.
std::string PlaceOf(const Shape& shape, int64_t element);

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_VALUES_VALUE_FACTS_H_
