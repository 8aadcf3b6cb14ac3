// Numeric derivatives of a vector of numbers along one direction, each with the interval that it lies in.
#ifndef DFRUN_TESTS_UNIT_AUTODIFF_NUMERIC_SLOPES_H_
#define DFRUN_TESTS_UNIT_AUTODIFF_NUMERIC_SLOPES_H_

#include <array>
#include <optional>
#include <vector>

namespace dfrun::testing {

// Where a derivative lies: around the central difference, or from one one-sided difference to the other.
struct SlopeRange {
  double low = 0;
  double high = 0;
};

// The numbers at -2h, -h, 0, h and 2h of the way.
using Stencil = std::array<std::vector<double>, 5>;

// `epsilon`: of the type that they are computed in. `most_drift`: how far the differences of h and of 2h may be from
// each other, relative to the largest. Nothing where they are further, as at a jump or near a kink. Numbers that are
// not finite at 0 count as constant.
std::optional<std::vector<SlopeRange>> SlopesOf(const Stencil& f, double h, double epsilon, double most_drift);

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_AUTODIFF_NUMERIC_SLOPES_H_
