// _MatMulSum gives the bits of MatMul and AddN.
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/testing/node_runner.h"

namespace dfrun {
namespace {

using testing::Input;
using testing::NodeRunner;

template <class T>
Tensor RandomMatrix(int64_t rows, int64_t columns, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  Tensor tensor(DTypeOf<T>, Shape({rows, columns}));
  for (int64_t i = 0; i < tensor.num_elements(); ++i) tensor.data<T>()[i] = static_cast<T>(uniform(random));
  return tensor;
}

// Compares products of different depths, and of none.
template <class T>
void GivesTheBitsOfBoth(int64_t m, int64_t n, const std::vector<int64_t>& depths, bool ta, bool tb) {
  NodeRunner runner;
  std::mt19937 random(3);
  const AttrMap attrs{{"T", DTypeOf<T>}, {"transpose_a", ta}, {"transpose_b", tb}};
  std::vector<Input> products;
  std::vector<Input> inputs;
  std::vector<Input> second;
  for (int64_t k : depths) {
    const Tensor a = ta ? RandomMatrix<T>(k, m, random) : RandomMatrix<T>(m, k, random);
    const Tensor b = tb ? RandomMatrix<T>(n, k, random) : RandomMatrix<T>(k, n, random);
    const Result<std::vector<Tensor>> product = runner.Run("MatMul", attrs, {a, b});
    ASSERT_TRUE(product.ok()) << product.status().ToString();
    products.emplace_back((*product)[0]);
    inputs.emplace_back(a);
    second.emplace_back(b);
  }
  inputs.insert(inputs.end(), second.begin(), second.end());
  const auto terms = static_cast<int64_t>(depths.size());
  AttrMap sum_attrs = attrs;
  sum_attrs.Set("N", terms);
  const Result<std::vector<Tensor>> expected = runner.Run("AddN", {{"T", DTypeOf<T>}, {"N", terms}}, products);
  const Result<std::vector<Tensor>> sum = runner.Run("_MatMulSum", sum_attrs, inputs);
  ASSERT_TRUE(expected.ok() && sum.ok()) << sum.status().ToString();
  EXPECT_TRUE((*sum)[0].Identical((*expected)[0])) << m << " x " << n << " transposed " << ta << tb;
}

TEST(MatMulSum, GivesTheBitsOfBoth) {
  for (bool ta : {false, true}) {
    for (bool tb : {false, true}) {
      GivesTheBitsOfBoth<float>(3, 5, {4, 1, 7}, ta, tb);
      GivesTheBitsOfBoth<float>(300, 700, {32, 0, 33, 500}, ta, tb);
      GivesTheBitsOfBoth<float>(20, 1024, {0, 300, 1100}, ta, tb);
      GivesTheBitsOfBoth<float>(0, 4, {2, 2}, ta, tb);
      GivesTheBitsOfBoth<float>(1024, 1030, {1024, 8, 1100}, ta, tb);  // large ones copy both operands
      GivesTheBitsOfBoth<double>(70, 90, {64, 40}, ta, tb);
      // Short products of a large sum are stacked, unless that wastes much or a long one is among them.
      GivesTheBitsOfBoth<float>(256, 500, std::vector<int64_t>(20, 32), ta, tb);
      GivesTheBitsOfBoth<float>(300, 257, {100, 97, 112, 90, 112, 111, 101, 99, 0, 112}, ta, tb);
      GivesTheBitsOfBoth<float>(256, 500, {200, 1, 1, 1, 200, 200}, ta, tb);
      GivesTheBitsOfBoth<double>(260, 333, std::vector<int64_t>(30, 30), ta, tb);
    }
  }
}

TEST(MatMulSum, RefusesProductsThatDoNotFit) {
  NodeRunner runner;
  auto run = [&](const Shape& a, const Shape& b, const Shape& a2, const Shape& b2) {
    const AttrMap attrs{{"T", DType::kFloat}, {"N", int64_t{2}}};
    std::mt19937 random(1);
    std::vector<Input> inputs;
    for (const Shape* shape : {&a, &a2, &b, &b2}) {
      inputs.emplace_back(RandomMatrix<float>(1, shape->num_elements(), random).Reshaped(*shape));
    }
    return runner.Run(NodeRunner::Way::kUnknownShapes, "_MatMulSum", attrs, inputs).status().code();
  };
  EXPECT_EQ(run({2, 3}, {3, 4}, {2, 5}, {5, 4}), Code::kOk);
  EXPECT_EQ(run({2, 3}, {3, 4}, {2, 5}, {4, 4}), Code::kInvalidArgument);
  EXPECT_EQ(run({2, 3}, {3, 4}, {3, 5}, {5, 4}), Code::kInvalidArgument);
  EXPECT_EQ(run({2, 3}, {3, 4}, {5}, {5, 4}), Code::kInvalidArgument);
}

}  // namespace
}  // namespace dfrun
