// Gradients pass through rounding as through the ramp that it follows: to the inputs within the range, and to the ends
// of the range from the inputs beyond them.
#include <gtest/gtest.h>

#include <vector>

#include "src/autodiff/gradients.h"
#include "tests/unit/testing/graph_evaluator.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun::testing {
namespace {

Tensor Floats(const Shape& shape, std::initializer_list<float> values) {
  Tensor tensor(DType::kFloat, shape);
  std::copy(values.begin(), values.end(), tensor.data<float>());
  return tensor;
}

// The gradients by all inputs of one op whose result is weighted with `weights`.
std::vector<Tensor> Gradients(const char* op, const AttrMap& attrs, const std::vector<Tensor>& inputs, Tensor weights) {
  GraphMaker maker;
  std::vector<Output> xs;
  for (const Tensor& input : inputs) xs.push_back(maker.Const(StrCat("x", xs.size()), input));
  const Output y = maker.Add("y", op, xs, attrs);
  GradientOptions options;
  options.grad_ys = {maker.Const("weights", std::move(weights))};
  const Result<std::vector<GradientValue>> values = AddGradients(maker.graph, std::vector<Output>{y}, xs, options);
  EXPECT_TRUE(values.ok()) << values.status().ToString();
  std::vector<Output> dense;
  for (size_t i = 0; values.ok() && i < values->size(); ++i) dense.push_back((*values)[i].dense);
  Result<std::vector<Tensor>> gradients = GraphEvaluator().Fetch(maker.graph, dense);
  EXPECT_TRUE(gradients.ok()) << gradients.status().ToString();
  return gradients.ok() ? *std::move(gradients) : std::vector<Tensor>();
}

void ExpectElements(const Tensor& actual, const Shape& shape, std::vector<float> expected) {
  ASSERT_EQ(actual.shape(), shape);
  EXPECT_EQ(std::vector<float>(actual.data<float>(), actual.data<float>() + actual.num_elements()), expected);
}

TEST(FakeQuantGradient, OfAFixedRange) {
  const auto g = Gradients("FakeQuantWithMinMaxArgs", {{"min", -1.0}, {"max", 1.0}, {"num_bits", 4}},
                           {Floats(Shape({4}), {-3, -0.5, 0.5, 3})}, Floats(Shape({4}), {2, 3, 5, 7}));
  ASSERT_EQ(g.size(), 1U);
  ExpectElements(g[0], Shape({4}), {0, 3, 5, 0});
}

TEST(FakeQuantGradient, OfARangeInVariables) {
  const auto g = Gradients("FakeQuantWithMinMaxVars", {},
                           {Floats(Shape({2, 2}), {-3, -0.5, 4, 3}), Floats(Shape(), {-1}), Floats(Shape(), {1})},
                           Floats(Shape({2, 2}), {2, 3, 5, 7}));
  ASSERT_EQ(g.size(), 3U);
  ExpectElements(g[0], Shape({2, 2}), {0, 3, 0, 0});
  ExpectElements(g[1], Shape(), {2});
  ExpectElements(g[2], Shape(), {12});
}

TEST(FakeQuantGradient, OfARangeAChannel) {
  const auto g =
      Gradients("FakeQuantWithMinMaxVarsPerChannel", {{"num_bits", 3}},
                {Floats(Shape({2, 2}), {-3, -3, 4, 4}), Floats(Shape({2}), {-1, -8}), Floats(Shape({2}), {1, 8})},
                Floats(Shape({2, 2}), {2, 3, 5, 7}));
  ASSERT_EQ(g.size(), 3U);
  ExpectElements(g[0], Shape({2, 2}), {0, 3, 0, 7});
  ExpectElements(g[1], Shape({2}), {2, 0});
  ExpectElements(g[2], Shape({2}), {5, 0});
}

}  // namespace
}  // namespace dfrun::testing
