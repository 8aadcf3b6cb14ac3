// _FusedElementwise gives the bits of its steps' ops.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "tests/unit/testing/elementwise_ops.h"
#include "tests/unit/testing/node_costs.h"
#include "tests/unit/testing/node_runner.h"

namespace dfrun {
namespace {

using testing::Input;
using testing::NodeRunner;
using Strings = std::vector<std::string>;

Tensor RandomFloats(int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-3, 3);
  Tensor tensor(DType::kFloat, Shape({count}));
  for (int64_t i = 0; i < count; ++i) tensor.data<float>()[i] = uniform(random);
  return tensor;
}

Tensor RunOne(NodeRunner& runner, const std::string& op, const std::vector<Tensor>& operands) {
  AttrMap attrs{{"T", DType::kFloat}};
  if (op == "AddN") attrs.Set("N", static_cast<int64_t>(operands.size()));
  const Result<std::vector<Tensor>> made = runner.Run(op, attrs, {operands.begin(), operands.end()});
  EXPECT_TRUE(made.ok()) << made.status().ToString();
  return (*made)[0];
}

AttrMap Attrs(int64_t inputs, Strings steps, const std::vector<int64_t>& outputs,
              const std::vector<int64_t>& scalars = {}) {
  return {{"N", inputs},
          {"M", static_cast<int64_t>(outputs.size())},
          {"steps", std::move(steps)},
          {"outputs", outputs},
          {"scalars", scalars}};
}

// The size exceeds a chunk, and a block that one thread takes.
class FusedElementwiseTest : public ::testing::TestWithParam<int64_t> {};

TEST_P(FusedElementwiseTest, GivesTheBitsOfEachOp) {
  NodeRunner runner;
  const std::vector<Tensor> x = {RandomFloats(GetParam(), 1), RandomFloats(GetParam(), 2), RandomFloats(GetParam(), 3)};
  for (const OpDef* op : testing::ElementwiseOps()) {
    const Elementwise& each = op->traits.elementwise;
    const int operands = each.operands > 0 ? each.operands : 3;
    std::string step = op->name;
    for (int i = 0; i < operands; ++i) step += StrCat(" ", i);
    const std::vector<Tensor> taken(x.begin(), x.begin() + operands);
    const Tensor expected = RunOne(runner, op->name, taken);
    // The first run writes to memory, the second to the first-level cache.
    const auto made = runner.Run("_FusedElementwise", Attrs(3, {step, "Neg 3", "Neg 4"}, {3, 5}), {x[0], x[1], x[2]});
    ASSERT_TRUE(made.ok()) << made.status().ToString();
    EXPECT_TRUE((*made)[0].Identical(expected)) << step;
    const auto inner = runner.Run("_FusedElementwise", Attrs(3, {step, "Neg 3", "Neg 4"}, {5}), {x[0], x[1], x[2]});
    ASSERT_TRUE(inner.ok()) << inner.status().ToString();
    EXPECT_TRUE((*inner)[0].Identical(expected)) << step;
  }
}

// Operands that AddN reads after it has written keep their places.
TEST_P(FusedElementwiseTest, SumsOfManyDoNotOverwriteTheirOperands) {
  NodeRunner runner;
  const Tensor x = RandomFloats(GetParam(), 4);
  const Tensor y = RandomFloats(GetParam(), 5);
  const Tensor product = RunOne(runner, "Mul", {x, y});
  const Tensor square = RunOne(runner, "Square", {x});
  const Tensor expected = RunOne(runner, "AddN", {product, square, y, product});
  for (const std::vector<int64_t>& outputs : {std::vector<int64_t>{4}, {2, 4}, {4, 3}}) {
    const auto made =
        runner.Run("_FusedElementwise", Attrs(2, {"Mul 0 1", "Square 0", "AddN 2 3 1 2"}, outputs), {x, y});
    ASSERT_TRUE(made.ok()) << made.status().ToString();
    for (size_t i = 0; i < outputs.size(); ++i) {
      EXPECT_TRUE((*made)[i].Identical(outputs[i] == 4 ? expected : outputs[i] == 2 ? product : square)) << i;
    }
  }
}

TEST_P(FusedElementwiseTest, TakesScalarsOnEitherSide) {
  NodeRunner runner;
  const Tensor x = RandomFloats(GetParam(), 6);
  const Tensor scalar = Tensor::Scalar<float>(-1.7F);
  for (const OpDef* op : testing::ElementwiseOps()) {
    if (!op->traits.elementwise.takes_scalar) continue;
    const std::string& name = op->name;
    const Tensor right = RunOne(runner, name, {x, scalar});
    const Tensor left = RunOne(runner, name, {scalar, x});
    const auto made = runner.Run("_FusedElementwise", Attrs(2, {name + " 1 0", name + " 0 1"}, {2, 3}, {0}),
                                 {scalar.Reshaped(Shape({1})), x});
    ASSERT_TRUE(made.ok()) << made.status().ToString();
    EXPECT_TRUE((*made)[0].Identical(right)) << name;
    EXPECT_TRUE((*made)[1].Identical(left)) << name;
  }
}

// Rows of gates have 3 x the columns that a value has.
TEST_P(FusedElementwiseTest, ReadsColumnsOfWiderRows) {
  NodeRunner runner;
  for (const int64_t columns : {1, 7, 600}) {
    const int64_t rows = GetParam() / columns;
    const Tensor gates = RandomFloats(rows * 3 * columns, 7).Reshaped(Shape({rows, 3 * columns}));
    const Tensor x = RandomFloats(rows * columns, 8).Reshaped(Shape({rows, columns}));
    const auto gate = [&](int64_t first) {
      const auto slice =
          runner.Run("Slice", {{"T", DType::kFloat}, {"Index", DType::kInt64}},
                     {gates, Tensor::Vector<int64_t>({0, first}), Tensor::Vector<int64_t>({-1, columns})});
      EXPECT_TRUE(slice.ok()) << slice.status().ToString();
      return (*slice)[0];
    };
    const Tensor product = RunOne(runner, "Mul", {gate(0), gate(columns + 1)});
    const Tensor sum = RunOne(runner, "AddV2", {product, x});
    const Tensor tanh = RunOne(runner, "Tanh", {gate(columns + 1)});
    AttrMap attrs = Attrs(3, {"Mul 0 1", "AddV2 3 2", "Tanh 1"}, {4, 5, 3});
    attrs.Set("shape", PartialShape({rows, columns}));
    attrs.Set("first_columns", std::vector<int64_t>{0, columns + 1, -1});
    const auto made = runner.Run("_FusedElementwise", attrs, {gates, gates, x});
    ASSERT_TRUE(made.ok()) << made.status().ToString();
    const Tensor* const expected[] = {&sum, &tanh, &product};
    for (size_t i = 0; i < 3; ++i) EXPECT_TRUE((*made)[i].Identical(*expected[i])) << columns << ", output " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, FusedElementwiseTest, ::testing::Values(0, 1, 511, 513, 40'000));

TEST(FusedElementwise, RefusesWhatIsNoProgram) {
  NodeRunner runner;
  const Tensor x = RandomFloats(3, 1);
  const Tensor other = RandomFloats(4, 1);
  const auto code = [&](const Strings& steps, const std::vector<int64_t>& outputs, const Tensor& second) {
    return runner
        .Run(NodeRunner::Way::kUnknownShapes, "_FusedElementwise", Attrs(2, steps, outputs), {Input(x), Input(second)})
        .status()
        .code();
  };
  EXPECT_EQ(code({"Mul 0 1"}, {2}, x), Code::kOk);
  EXPECT_EQ(code({"Mul 0 1"}, {2}, other), Code::kInvalidArgument);
  for (const char* step : {"Mul 0", "Mul 0 1 1", "Mul 0 2", "Mul 0 -1", "Mul 0 x", "Mul 0  1", "Mul 0,1", "Neg 0 1",
                           "AddN", "Softmax 0", "", " ", "Mul 0 1 ", "Mul 0 99999999999999999999"}) {
    EXPECT_EQ(code({step}, {2}, x), Code::kInvalidArgument) << "'" << step << "'";
  }
  for (const std::vector<int64_t>& outputs : {std::vector<int64_t>{0}, {3}, {-1}, {2, 2}, {int64_t{1} << 40}}) {
    EXPECT_EQ(code({"Mul 0 1"}, outputs, x), Code::kInvalidArgument);
  }
  EXPECT_EQ(code(Strings(400, "Neg 0"), {2}, x), Code::kInvalidArgument);
  Strings many;  // more results at a time than there is room for
  std::string sum = "AddN";
  for (int i = 0; i < 70; ++i) {
    many.push_back("Neg 0");
    sum += StrCat(" ", 2 + i);
  }
  many.push_back(sum);
  EXPECT_EQ(code(many, {72}, x), Code::kInvalidArgument);
  const auto code_of_scalars = [&](const char* step, const std::vector<int64_t>& scalars) {
    const AttrMap attrs = Attrs(2, {step}, {2}, scalars);
    const Tensor one = RandomFloats(1, 1);
    return runner.Run(NodeRunner::Way::kUnknownShapes, "_FusedElementwise", attrs, {Input(x), Input(one)})
        .status()
        .code();
  };
  EXPECT_EQ(code_of_scalars("Mul 0 1", {1}), Code::kOk);
  EXPECT_EQ(code_of_scalars("Mul 0 1", {}), Code::kInvalidArgument);
  EXPECT_EQ(code_of_scalars("Mul 0 1", {0}), Code::kInvalidArgument);
  for (const std::vector<int64_t>& scalars : {std::vector<int64_t>{0, 1}, {2}, {-1}}) {
    EXPECT_EQ(code_of_scalars("Mul 0 1", scalars), Code::kInvalidArgument);
  }
  for (const char* step : {"Mul 1 1", "Neg 1", "AddN 0 1", "AddN 1"}) {
    EXPECT_EQ(code_of_scalars(step, {1}), Code::kInvalidArgument) << step;
  }
}

TEST(FusedElementwise, RefusesColumnsThatAreNotThere) {
  NodeRunner runner;
  const Tensor wide = RandomFloats(24, 1).Reshaped(Shape({3, 8}));
  const Tensor x = RandomFloats(12, 2).Reshaped(Shape({3, 4}));
  const PartialShape shape({3, 4});
  const auto code = [&](const PartialShape& values, const std::vector<int64_t>& first_columns, const Tensor& second) {
    AttrMap attrs = Attrs(2, {"Mul 0 1", "Neg 2"}, {2, 3});
    attrs.Set("shape", values);
    attrs.Set("first_columns", first_columns);
    return runner.Run(NodeRunner::Way::kUnknownShapes, "_FusedElementwise", attrs, {Input(wide), Input(second)})
        .status()
        .code();
  };
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(code(shape, {4, -1}, x), Code::kOk);
  EXPECT_EQ(code(shape, {0, 4}, wide), Code::kOk);
  EXPECT_EQ(code(shape, {0, 4}, wide.Reshaped(Shape({3, 2, 4}))), Code::kOk);
  EXPECT_EQ(code(shape, {0, 4}, wide.Reshaped(Shape({24}))), Code::kOk);
  for (const int64_t first : {int64_t{5}, int64_t{8}, int64_t{9}, kMax}) {
    EXPECT_EQ(code(shape, {first, -1}, x), Code::kInvalidArgument) << first;
  }
  for (const PartialShape& other :
       {PartialShape(), PartialShape({}), PartialShape({3, -1}), PartialShape({-1, 4}), PartialShape({3, 3}),
        PartialShape({4, 4}), PartialShape({5, 4}), PartialShape({3, 0}), PartialShape({0, 4}), PartialShape({12}),
        PartialShape({1, kMax}), PartialShape({kMax, kMax})}) {
    EXPECT_EQ(code(other, {4, -1}, x), Code::kInvalidArgument) << other;
  }
  EXPECT_EQ(code(shape, {4}, x), Code::kInvalidArgument);
  EXPECT_EQ(code(shape, {4, -1, -1}, x), Code::kInvalidArgument);
  EXPECT_EQ(code(shape, {4, -1}, RandomFloats(4, 1)), Code::kInvalidArgument);
  EXPECT_EQ(code(shape, {4, -1}, RandomFloats(1, 1).Reshaped(Shape())), Code::kInvalidArgument);
  AttrMap more = Attrs(2, {"Mul 0 1", "Neg 2"}, {2, 3});
  more.Set("M", int64_t{3});
  EXPECT_EQ(runner.Run("_FusedElementwise", more, {x, x}).status().code(), Code::kInvalidArgument);
}

TEST(FusedElementwiseCostTest, EachStepIsOneOperationAnElement) {
  testing::NodeCosts costs;
  const AttrMap steps = {
      {"steps", std::vector<std::string>{"Mul 0 1", "AddN 0 1 2"}}, {"outputs", std::vector<int64_t>{3}}, {"M", 1}};
  const std::vector<Output> inputs = {costs.Floats({2, 3}), costs.Floats({2, 3})};
  EXPECT_EQ(costs.Of("_FusedElementwise", inputs, steps), (OpCost{6 + 2 * 6, 48, 24}));
}

}  // namespace
}  // namespace dfrun
