// Points of the golden cases at which derivatives are checked.
#ifndef DFRUN_TESTS_UNIT_AUTODIFF_DERIVATIVE_POINTS_H_
#define DFRUN_TESTS_UNIT_AUTODIFF_DERIVATIVE_POINTS_H_

#include <map>
#include <string>
#include <vector>

#include "tests/unit/autodiff/gradient_checker.h"

namespace dfrun::testing {

// Returns the points by op. They are those of all golden cases whose nodes end without an error and have neither
// variables nor tables, in float64 and complex128 if the op has kernels for these. Points with numbers that are not
// finite are left out. An op that takes complex numbers and has no such case gets its float cases with imaginary parts
// too.
Result<std::map<std::string, std::vector<GradientCase>>> GoldenPoints();

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_AUTODIFF_DERIVATIVE_POINTS_H_
