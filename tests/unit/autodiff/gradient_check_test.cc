// Every differentiable op against numeric derivatives in float64, a line a case in gradient_cases_*.cc. An op that gets
// a gradient gets a line there, or an UncheckedGradient: the last test sees to it.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "src/framework/kernel.h"
#include "src/framework/op.h"
#include "tests/unit/autodiff/gradient_cases.h"

namespace dfrun::testing {

void PrintTo(const GradientCase& test, std::ostream* out) {
  *out << test.op;
  for (const Tensor& input : test.inputs) *out << ' ' << DTypeName(input.dtype()) << input.shape();
  for (const auto& [name, value] : test.attrs) *out << ' ' << name << '=' << value.ToString();
}

namespace {

// Numeric differentiation itself is good to about 1e-10, in float32 to 1e-5.
double Tolerance(const GradientCase& test) {
  return test.dtype == DType::kFloat ? 1e-4 : 1e-6;
}

class GradientCheck : public ::testing::TestWithParam<GradientCase> {};

TEST_P(GradientCheck, AgreesWithNumericDerivatives) {
  for (bool static_shapes : {true, false}) {
    if (!static_shapes && GetParam().needs_shapes) continue;
    const Result<double> error = GradientError(GetParam(), static_shapes);
    ASSERT_TRUE(error.ok()) << error.status().ToString() << (static_shapes ? "" : " (shapes not known)");
    EXPECT_LT(*error, Tolerance(GetParam())) << (static_shapes ? "" : "shapes not known");
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, GradientCheck, ::testing::ValuesIn(GradientCases::All()),
                         [](const auto& info) { return info.param.op + "_" + std::to_string(info.index); });

TEST(GradientCheckTable, HasEveryDifferentiableOp) {
  std::set<std::string> checked;
  for (const GradientCase& test : GradientCases::All()) checked.insert(test.op);
  std::string missing;
  for (const OpDef* op : OpRegistry::Builtin().List()) {
    if (op->gradient && checked.count(op->name) == 0 && !UncheckedGradient::Excuses(op->name))
      missing += " " + op->name;
  }
  EXPECT_EQ(missing, "");
}

}  // namespace
}  // namespace dfrun::testing
