// The median of measurements.
#ifndef DFRUN_SRC_BASE_MEDIAN_H_
#define DFRUN_SRC_BASE_MEDIAN_H_

#include <algorithm>
#include <cstddef>
#include <vector>

namespace dfrun {

// Returns the median of at least one value; of an even number of values the upper of the two in the middle.
inline double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_MEDIAN_H_
