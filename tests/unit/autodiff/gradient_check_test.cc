// Ops against numeric derivatives at the points of gradient_cases_*.cc, a line a case; derivatives_test.cc has the
// points of the golden cases, and sees to it that no op is left out.
#include <gtest/gtest.h>

#include <string>

#include "src/framework/kernel/kernel.h"
#include "tests/unit/autodiff/gradient_cases.h"

namespace dfrun::testing {

void PrintTo(const GradientCase& test, std::ostream* out) {
  *out << test.op;
  for (const Tensor& input : test.inputs) *out << ' ' << DTypeName(input.dtype()) << input.shape();
  for (const auto& [name, value] : test.attrs) *out << ' ' << name << '=' << value.ToString();
}

namespace {

class GradientCheck : public ::testing::TestWithParam<GradientCase> {};

TEST_P(GradientCheck, AgreesWithNumericDerivatives) {
  for (bool static_shapes : {true, false}) {
    if (!static_shapes && GetParam().needs_shapes) continue;
    CheckOptions options;
    options.static_shapes = static_shapes;
    const Result<std::vector<PairVerdict>> verdicts = CheckGradients(GetParam(), options);
    ASSERT_TRUE(verdicts.ok()) << verdicts.status().ToString() << (static_shapes ? "" : " (shapes not known)");
    EXPECT_FALSE(verdicts->empty());
    for (const PairVerdict& pair : *verdicts) {
      const bool is_right =
          pair.verdict == Verdict::kRight || pair.verdict == Verdict::kSilent || pair.verdict == Verdict::kEmpty;
      EXPECT_TRUE(is_right) << "input " << pair.input << ", output " << pair.output << ": "
                            << (pair.verdict == Verdict::kUndecided ? "the differences tell nothing" : pair.why)
                            << (static_shapes ? "" : " (shapes not known)");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, GradientCheck, ::testing::ValuesIn(GradientCases::All()),
                         [](const auto& info) { return info.param.op + "_" + std::to_string(info.index); });

}  // namespace
}  // namespace dfrun::testing
