#include "tests/unit/autodiff/gradient_cases.h"

namespace dfrun::testing {
namespace {

constexpr const char* kStraightThrough =
    "a staircase, whose gradient is a ramp's; fake_quant_gradient_test.cc checks it";
const UncheckedGradient args("FakeQuantWithMinMaxArgs", kStraightThrough);
const UncheckedGradient vars("FakeQuantWithMinMaxVars", kStraightThrough);
const UncheckedGradient per_channel("FakeQuantWithMinMaxVarsPerChannel", kStraightThrough);

}  // namespace
}  // namespace dfrun::testing
