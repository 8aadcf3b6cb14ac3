#include "tests/unit/autodiff/gradient_cases.h"

namespace dfrun::testing {
namespace {

constexpr const char* kStraightThrough = "the result is a staircase; the gradient is that of the ramp through it";
const UncheckedGradient args("FakeQuantWithMinMaxArgs", kStraightThrough);
const UncheckedGradient vars("FakeQuantWithMinMaxVars", kStraightThrough);
const UncheckedGradient per_channel("FakeQuantWithMinMaxVarsPerChannel", kStraightThrough);

}  // namespace
}  // namespace dfrun::testing
