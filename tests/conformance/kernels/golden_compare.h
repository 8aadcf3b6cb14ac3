// A comparison of a result with TensorFlow's.
#ifndef DFRUN_TESTS_CONFORMANCE_KERNELS_GOLDEN_COMPARE_H_
#define DFRUN_TESTS_CONFORMANCE_KERNELS_GOLDEN_COMPARE_H_

#include <string>

#include "src/framework/values/tensor.h"

namespace dfrun::testing {

// Returns how `actual` differs from `expected`; an empty text if it does not. Floating-point elements may be `ulps`
// units in the last place of the expected value away; NaN equals NaN.
std::string Difference(const Tensor& expected, const Tensor& actual, double ulps);

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_CONFORMANCE_KERNELS_GOLDEN_COMPARE_H_
