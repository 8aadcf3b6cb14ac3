#include "tests/unit/autodiff/gradient_cases.h"

namespace dfrun::testing {
namespace {

std::vector<GradientCase> FakeQuantCases() {
  return {{"FakeQuantWithMinMaxArgsGradient", {U({2, 3}), V({2, 3}, -9, 9)}, {}, {}, {}, false, DType::kFloat}};
}

const GradientCases fake_quant(FakeQuantCases);
constexpr const char* kStraightThrough =
    "a staircase, whose gradient is a ramp's; fake_quant_gradient_test.cc checks it";
const UncheckedGradient args("FakeQuantWithMinMaxArgs", kStraightThrough);
const UncheckedGradient vars("FakeQuantWithMinMaxVars", kStraightThrough);
const UncheckedGradient per_channel("FakeQuantWithMinMaxVarsPerChannel", kStraightThrough);

}  // namespace
}  // namespace dfrun::testing
