// Points of the golden cases at which derivatives are checked.
#ifndef DFRUN_TESTS_UNIT_AUTODIFF_DERIVATIVE_POINTS_H_
#define DFRUN_TESTS_UNIT_AUTODIFF_DERIVATIVE_POINTS_H_

#include <map>
#include <string>
#include <vector>

#include "tests/unit/autodiff/gradient_checker.h"

namespace dfrun::testing {

// By op, of all golden cases whose nodes end without an error and have neither variables nor tables. In float64 and
// complex128 where the op has kernels for these, without numbers that are not finite; ops that take complex numbers and
// have no such case have their float ones with imaginary parts too.
Result<std::map<std::string, std::vector<GradientCase>>> GoldenPoints();

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_AUTODIFF_DERIVATIVE_POINTS_H_
