// Bounds of numbers: an interval that holds all elements of a tensor.
#ifndef DFRUN_SRC_GRAPH_BOUNDS_H_
#define DFRUN_SRC_GRAPH_BOUNDS_H_

#include <limits>

#include "src/framework/values/tensor.h"

namespace dfrun {

// All elements lie in [low, high]; those of bool are 0 and 1. Nothing is said of NaN.
struct Bounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  static Bounds Of(double value) { return {value, value}; }
  // The bounds of a tensor's elements; everything for strings and the like.
  static Bounds OfElements(const Tensor& tensor);
  // All elements are this one value.
  bool is_constant() const { return low == high; }
  bool is(double value) const { return low == value && high == value; }
};

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_BOUNDS_H_
