// Numeric derivatives of a vector of numbers along one direction, each with the interval that it lies in.
#ifndef DFRUN_TESTS_UNIT_AUTODIFF_NUMERIC_SLOPES_H_
#define DFRUN_TESTS_UNIT_AUTODIFF_NUMERIC_SLOPES_H_

#include <array>
#include <optional>
#include <vector>

namespace dfrun::testing {

// The interval of a derivative: around the central difference, or from one one-sided difference to the other.
struct SlopeRange {
  double low = 0;
  double high = 0;
};

// The values at -2h, -h, 0, h and 2h along the direction.
using Stencil = std::array<std::vector<double>, 5>;

// Returns the slopes. `epsilon` is that of the type in which the numbers are computed. `most_drift` limits how far the
// differences of h and of 2h may be from each other, relative to the largest. Returns nullopt if they are further
// apart, as at a jump or near a kink. Numbers that are not finite at 0 count as constant.
std::optional<std::vector<SlopeRange>> SlopesOf(const Stencil& f, double h, double epsilon, double most_drift);

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_AUTODIFF_NUMERIC_SLOPES_H_
