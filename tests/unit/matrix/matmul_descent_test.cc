// _MatMulApplyGradientDescent gives the bits of MatMul and ApplyGradientDescent.
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/testing/node_runner.h"
#include "tests/unit/testing/plain_device.h"

namespace dfrun {
namespace {

using testing::Input;
using testing::NodeRunner;
using Way = NodeRunner::Way;

template <class T>
Tensor RandomMatrix(int64_t rows, int64_t columns, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Tensor tensor(DTypeOf<T>, Shape({rows, columns}));
  for (int64_t i = 0; i < tensor.num_elements(); ++i) tensor.data<T>()[i] = static_cast<T>(uniform(random));
  return tensor;
}

RefPtr<Variable> MakeVariable(const Tensor& value) {
  RefPtr<Variable> variable(new Variable("weight", value.dtype(), PartialShape(value.shape())));
  MutexLock lock(variable->mu());
  EXPECT_TRUE(variable->Assign(value, testing::HostDevice()).ok());
  return variable;
}

Input Of(Variable& variable, bool resource) {
  if (!resource) return variable;
  return Tensor::Scalar(ResourceHandle(variable.name(), RefPtr<Resource>(&variable)));
}

const char* OpOf(bool resource) {
  return resource ? "_MatMulResourceApplyGradientDescent" : "_MatMulApplyGradientDescent";
}

template <class T>
void GivesTheBitsOfBoth(int64_t m, int64_t k, int64_t n) {
  const Tensor start = RandomMatrix<T>(m, n, 1);
  const Tensor rate = Tensor::Scalar(static_cast<T>(-.37));
  for (int transposed = 0; transposed < 4; ++transposed) {
    const bool ta = (transposed & 1) != 0;
    const bool tb = (transposed & 2) != 0;
    const Tensor a = ta ? RandomMatrix<T>(k, m, 2) : RandomMatrix<T>(m, k, 2);
    const Tensor b = tb ? RandomMatrix<T>(n, k, 3) : RandomMatrix<T>(k, n, 3);
    const AttrMap attrs{{"T", DTypeOf<T>}, {"transpose_a", ta}, {"transpose_b", tb}};
    NodeRunner runner;
    const Result<std::vector<Tensor>> gradient = runner.Run("MatMul", attrs, {a, b});
    ASSERT_TRUE(gradient.ok()) << gradient.status().ToString();
    const RefPtr<Variable> expected = MakeVariable(start);
    ASSERT_TRUE(runner.Run(Way::kStaticShapes, "ApplyGradientDescent", {}, {*expected, rate, (*gradient)[0]}).ok());
    for (bool resource : {false, true}) {
      for (Way way : {Way::kUnknownShapes, Way::kStaticShapes, Way::kThreads}) {
        const RefPtr<Variable> variable = MakeVariable(start);
        const Status status = runner.Run(way, OpOf(resource), attrs, {Of(*variable, resource), rate, a, b}).status();
        ASSERT_TRUE(status.ok()) << status.ToString();
        EXPECT_TRUE(variable->value().Identical(expected->value()))
            << m << " x " << k << " x " << n << ", transposed " << transposed << ", resource " << resource;
      }
    }
  }
}

TEST(MatMulDescent, GivesTheBitsOfBoth) {
  GivesTheBitsOfBoth<float>(300, 70, 500);
  GivesTheBitsOfBoth<float>(1030, 33, 260);
  GivesTheBitsOfBoth<float>(5, 1300, 90);
  GivesTheBitsOfBoth<float>(210, 250, 240);   // operands are read in place
  GivesTheBitsOfBoth<float>(70, 1000, 1030);  // both operands are copied
  GivesTheBitsOfBoth<float>(1030, 130, 510);
  GivesTheBitsOfBoth<float>(7, 9, 11);
  GivesTheBitsOfBoth<float>(40, 0, 30);
  GivesTheBitsOfBoth<float>(0, 4, 30);
  GivesTheBitsOfBoth<double>(130, 40, 150);
}

// Compares a sum of products too, stacked or not.
template <class T>
void GivesTheBitsOfASum(int64_t m, int64_t n, const std::vector<int64_t>& depths, bool ta, bool tb) {
  const Tensor start = RandomMatrix<T>(m, n, 1);
  const Tensor rate = Tensor::Scalar(static_cast<T>(.21));
  std::vector<Input> a;
  std::vector<Input> b;
  for (int64_t k : depths) {
    const auto seed = static_cast<unsigned>(a.size());
    a.emplace_back(ta ? RandomMatrix<T>(k, m, 2 + seed) : RandomMatrix<T>(m, k, 2 + seed));
    b.emplace_back(tb ? RandomMatrix<T>(n, k, 99 + seed) : RandomMatrix<T>(k, n, 99 + seed));
  }
  std::vector<Input> operands = a;
  operands.insert(operands.end(), b.begin(), b.end());
  const AttrMap attrs{
      {"T", DTypeOf<T>}, {"N", static_cast<int64_t>(a.size())}, {"transpose_a", ta}, {"transpose_b", tb}};
  NodeRunner runner;
  const Result<std::vector<Tensor>> gradient = runner.Run("_MatMulSum", attrs, operands);
  ASSERT_TRUE(gradient.ok()) << gradient.status().ToString();
  const RefPtr<Variable> expected = MakeVariable(start);
  ASSERT_TRUE(runner.Run(Way::kStaticShapes, "ApplyGradientDescent", {}, {*expected, rate, (*gradient)[0]}).ok());
  for (Way way : {Way::kUnknownShapes, Way::kStaticShapes, Way::kThreads}) {
    const RefPtr<Variable> variable = MakeVariable(start);
    std::vector<Input> inputs = {Of(*variable, false), rate};
    inputs.insert(inputs.end(), operands.begin(), operands.end());
    const Status status = runner.Run(way, OpOf(false), attrs, inputs).status();
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_TRUE(variable->value().Identical(expected->value())) << m << " x " << n << " transposed " << ta << tb;
  }
}

TEST(MatMulDescent, GivesTheBitsOfASum) {
  for (bool ta : {false, true}) {
    for (bool tb : {false, true}) {
      GivesTheBitsOfASum<float>(3, 5, {4, 1, 7}, ta, tb);
      GivesTheBitsOfASum<float>(300, 260, {32, 0, 33}, ta, tb);
      GivesTheBitsOfASum<float>(256, 500, std::vector<int64_t>(20, 32), ta, tb);
      GivesTheBitsOfASum<float>(300, 257, {100, 97, 112, 90, 112, 111, 101, 99, 0, 112}, ta, tb);
      GivesTheBitsOfASum<float>(0, 4, {2, 2}, ta, tb);
      GivesTheBitsOfASum<float>(4, 4, {0, 0}, ta, tb);
      GivesTheBitsOfASum<double>(260, 333, std::vector<int64_t>(30, 30), ta, tb);
    }
  }
}

// A value of the weight that was read before stays as it was, even if it is an operand of the product itself.
TEST(MatMulDescent, SnapshotsKeepTheirBytes) {
  NodeRunner runner;  // its memory outlives the variables
  const Tensor start = RandomMatrix<float>(64, 64, 1);
  const RefPtr<Variable> variable = MakeVariable(start);
  Tensor snapshot;
  {
    MutexLock lock(variable->mu());
    snapshot = variable->Snapshot();
  }
  const Tensor rate = Tensor::Scalar(1.F);
  ASSERT_TRUE(runner.Run(Way::kThreads, OpOf(false), {}, {*variable, rate, snapshot, snapshot}).ok());
  EXPECT_TRUE(snapshot.Identical(start));
  const Result<std::vector<Tensor>> square = runner.Run("MatMul", {}, {start, start});
  ASSERT_TRUE(square.ok());
  const RefPtr<Variable> expected = MakeVariable(start);
  ASSERT_TRUE(runner.Run(Way::kStaticShapes, "ApplyGradientDescent", {}, {*expected, rate, (*square)[0]}).ok());
  EXPECT_TRUE(variable->value().Identical(expected->value()));
}

TEST(MatMulDescent, RefusesWhatDoesNotFit) {
  NodeRunner runner;
  const Tensor start = RandomMatrix<float>(3, 4, 1);
  const RefPtr<Variable> variable = MakeVariable(start);
  const auto run = [&](Variable& on, const Tensor& rate, const Shape& a, const Shape& b) {
    return runner
        .Run(Way::kUnknownShapes, OpOf(true), {},
             {Of(on, true), rate, RandomMatrix<float>(1, a.num_elements(), 2).Reshaped(a),
              RandomMatrix<float>(1, b.num_elements(), 3).Reshaped(b)})
        .status()
        .code();
  };
  const Tensor rate = Tensor::Scalar(1.F);
  EXPECT_EQ(run(*variable, Tensor::Vector<float>({1}), {3, 2}, {2, 4}), Code::kInvalidArgument);
  EXPECT_EQ(run(*variable, rate, {3, 2}, {3, 4}), Code::kInvalidArgument);
  EXPECT_EQ(run(*variable, rate, {4, 2}, {2, 3}), Code::kInvalidArgument);
  EXPECT_EQ(run(*variable, rate, {6}, {2, 4}), Code::kInvalidArgument);
  const RefPtr<Variable> without_value(new Variable("empty", DType::kFloat, PartialShape({3, 4})));
  EXPECT_EQ(run(*without_value, rate, {3, 2}, {2, 4}), Code::kFailedPrecondition);
  const RefPtr<Variable> other = MakeVariable(RandomMatrix<double>(3, 4, 1));
  EXPECT_EQ(run(*other, rate, {3, 2}, {2, 4}), Code::kInvalidArgument);
  EXPECT_TRUE(variable->value().Identical(start)) << "a refused update changes nothing";
}

}  // namespace
}  // namespace dfrun
