#include "tests/unit/autodiff/gradient_cases.h"

namespace dfrun::testing {
namespace {

// A sample jumps when another of its attempts is accepted; the derivative is the one at a fixed value of the
// distribution function.
constexpr const char* kRejects = "a sample is not continuous in alpha; gamma_gradient_test.cc checks it";
const UncheckedGradient gamma("RandomGamma", kRejects);
const UncheckedGradient seeded_gamma("StatelessRandomGammaV2", kRejects);
const UncheckedGradient keyed_gamma("StatelessRandomGammaV3", kRejects);

}  // namespace
}  // namespace dfrun::testing
