// The range of numbers that a floating or complex dtype holds.
#ifndef DFRUN_SRC_SPEC_EXPR_FLOAT_RANGE_H_
#define DFRUN_SRC_SPEC_EXPR_FLOAT_RANGE_H_

#include <string>

#include "src/framework/values/dtype.h"

namespace dfrun {

// Returns "" where `dtype` has a value near `value`, as it has for inf and nan. For a finite number that it would hold
// as infinite, or one that is not 0 and that it would hold as 0, returns the reason and the remedy: "its greatest
// number is 65504: write that, inf, or take a wider dtype".
std::string WhyOutOfRange(double value, DType dtype);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_EXPR_FLOAT_RANGE_H_
