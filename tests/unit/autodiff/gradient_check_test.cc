// Every differentiable op against numeric derivatives in float64, a line a case. An op that gets a gradient gets a line
// here: the last test sees to it.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "src/framework/kernel.h"
#include "src/framework/op.h"
#include "tests/unit/autodiff/gradient_checker.h"

namespace dfrun::testing {

void PrintTo(const GradientCase& test, std::ostream* out) {
  *out << test.op;
  for (const Tensor& input : test.inputs) *out << ' ' << DTypeName(input.dtype()) << input.shape();
  for (const auto& [name, value] : test.attrs) *out << ' ' << name << '=' << value.ToString();
}

namespace {

// Numeric differentiation itself is good to about 1e-10.
constexpr double kTolerance = 1e-6;

Tensor Ints(std::initializer_list<int32_t> values) {
  return Tensor::Vector<int32_t>(values);
}
Tensor Int(int32_t value) {
  return Tensor::Scalar<int32_t>(value);
}
Tensor U(const Shape& shape, double low = -1, double high = 1, uint64_t seed = 1) {
  return Uniform(shape, low, high, seed);
}
Tensor V(const Shape& shape, double low = -1, double high = 1) {
  return Uniform(shape, low, high, 2);
}
using IntList = std::vector<int64_t>;

std::vector<GradientCase> ArrayCases() {
  return {
      {"BroadcastTo", {U({3, 1}), Ints({2, 3, 4})}},
      {"BroadcastTo", {U({}), Ints({2})}},
      {"DynamicPartition", {U({4, 2}), Ints({1, 0, 1, 2})}, {{"num_partitions", 3}}},
      {"DynamicStitch", {Ints({0, 2}), Ints({1, 3}), U({2, 3}), V({2, 3})}, {{"N", 2}}},
      {"ExpandDims", {U({2, 3}), Int(1)}},
      {"Fill", {Ints({2, 3}), U({})}},
      {"Identity", {U({2, 3})}},
      {"IdentityN", {U({2, 3}), V({4})}},
      {"PlaceholderWithDefault", {U({2, 3})}, {{"shape", PartialShape{2, 3}}}},
      {"Reshape", {U({2, 3}), Ints({3, -1})}},
      {"Squeeze", {U({2, 1, 3, 1})}},
      {"Squeeze", {U({2, 1, 3, 1})}, {{"squeeze_dims", IntList{-1}}}},
      {"Tile", {U({2, 3}), Ints({2, 3})}},
      {"Transpose", {U({2, 3, 4}), Ints({2, 0, 1})}},
  };
}

std::vector<GradientCase> MathCases() {
  return {
      {"Add", {U({2, 3}), V({2, 3})}},
      {"Add", {U({2, 3}), V({1, 3})}},
      {"AddV2", {U({2, 3}), V({})}},
      {"AddV2", {U({3}), V({2, 1})}},
      {"Mul", {U({2, 3}), V({2, 3})}},
      {"Mul", {U({2, 1}), V({3})}},
      {"Neg", {U({2, 3})}},
      {"Sub", {U({2, 3}), V({3})}},
      {"Sub", {U({}), V({2, 2})}},
  };
}

std::vector<GradientCase> ReductionCases() {
  return {
      {"L2Loss", {U({2, 3})}},
      {"Max", {U({3, 4}), Ints({1})}},
      {"Max", {U({3, 4}), Ints({0, 1})}, {{"keep_dims", true}}},
      {"Mean", {U({2, 3, 4}), Ints({0, 2})}},
      {"Mean", {U({2, 3}), Int(-1)}, {{"keep_dims", true}}},
      {"Mean", {U({4}), Ints({})}},
      {"Min", {U({3, 4}), Ints({0})}},
      {"Sum", {U({2, 3, 4}), Ints({1})}},
      {"Sum", {U({2, 3}), Ints({0, 1})}},
      {"Sum", {U({2, 3}), Int(0)}, {{"keep_dims", true}}},
  };
}

std::vector<GradientCase> MatrixCases() {
  return {
      {"MatMul", {U({2, 3}), V({3, 4})}},
      {"MatMul", {U({3, 2}), V({3, 4})}, {{"transpose_a", true}}},
      {"MatMul", {U({2, 3}), V({4, 3})}, {{"transpose_b", true}}},
      {"MatMul", {U({3, 2}), V({4, 3})}, {{"transpose_a", true}, {"transpose_b", true}}},
  };
}

std::vector<GradientCase> AllCases() {
  std::vector<GradientCase> all;
  for (const auto& cases : {ArrayCases(), MathCases(), ReductionCases(), MatrixCases()}) {
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

class GradientCheck : public ::testing::TestWithParam<GradientCase> {};

TEST_P(GradientCheck, AgreesWithNumericDerivatives) {
  for (bool static_shapes : {true, false}) {
    const Result<double> error = GradientError(GetParam(), static_shapes);
    ASSERT_TRUE(error.ok()) << error.status().ToString() << (static_shapes ? "" : " (shapes not known)");
    EXPECT_LT(*error, kTolerance) << (static_shapes ? "" : "shapes not known");
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, GradientCheck, ::testing::ValuesIn(AllCases()),
                         [](const auto& info) { return info.param.op + "_" + std::to_string(info.index); });

// Ops with a gradient function that no line can check, and why.
const std::map<std::string, std::string>& Exceptions() {
  static const auto& exceptions = *new std::map<std::string, std::string>{
      {"PreventGradient", "its gradient is an error"},
      {"ReadVariableOp", "needs a variable; its gradient is dy itself"},
  };
  return exceptions;
}

TEST(GradientCheckTable, HasEveryDifferentiableOp) {
  std::set<std::string> checked;
  for (const GradientCase& test : AllCases()) checked.insert(test.op);
  std::string missing;
  for (const OpDef* op : OpRegistry::Builtin().List()) {
    if (op->gradient && checked.count(op->name) == 0 && Exceptions().count(op->name) == 0) missing += " " + op->name;
  }
  EXPECT_EQ(missing, "");
}

}  // namespace
}  // namespace dfrun::testing
