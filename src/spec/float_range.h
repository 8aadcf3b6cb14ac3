// The range of numbers that a floating or complex dtype holds.
#ifndef DFRUN_SRC_SPEC_FLOAT_RANGE_H_
#define DFRUN_SRC_SPEC_FLOAT_RANGE_H_

#include <string>

#include "src/framework/dtype.h"

namespace dfrun {

// "" where `dtype` has a value near `value`, as it has for inf and nan; else, of a finite number that it would hold as
// infinite and one that is not 0 and that it would hold as 0, why not and what to write: "its greatest number is
// 65504: write that, inf, or take a wider dtype".
std::string WhyOutOfRange(double value, DType dtype);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_FLOAT_RANGE_H_
