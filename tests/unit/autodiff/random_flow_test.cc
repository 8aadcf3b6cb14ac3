// Random nested conditionals and loops and their first and second derivatives, against an interpreter with dual numbers
// of dual numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "src/autodiff/gradients.h"
#include "tests/unit/testing/random_flow.h"
#include "tests/unit/testing/step_runner.h"

namespace dfrun::testing {
namespace {

constexpr int kInputs = 3;
// Number of graphs per test, by the order of the derivatives.
constexpr int kGraphsPerTest[] = {0, 100, 40};

// A program as a graph with feeds, and its result and gradients as fetches.
struct Differentiated {
  FlowGraphMaker maker;
  std::vector<Output> inputs;
  std::vector<Output> fetches;
};

// Fetches the derivatives of `y`, zeros where they do not exist.
Status FetchDerivatives(Differentiated& made, Output y) {
  DF_ASSIGN(const std::vector<GradientValue> gradients, AddGradients(made.maker.graph, {&y, 1}, made.inputs));
  for (size_t k = 0; k < kInputs; ++k) {
    const Output zeros = made.maker.Add(made.maker.graph.UniqueName("zeros"), "ZerosLike", {made.inputs[k]});
    made.fetches.push_back(gradients[k].exists ? gradients[k].dense : zeros);
  }
  return Status();
}

// The weights of the first derivatives in the sum of which the second ones are taken.
double WeightOf(size_t input, size_t element) {
  return 1 + 0.5 * static_cast<double>(input) - 0.75 * static_cast<double>(element);
}

Status Build(const FlowProgram& program, int order, Differentiated& made) {
  FlowGraphMaker& maker = made.maker;
  for (int k = 0; k < kInputs; ++k) made.inputs.push_back(maker.Placeholder(StrCat("x", k), PartialShape({kWidth})));
  const Output y = maker.Make(program, made.inputs);
  made.fetches = {y};
  DF_TRY(FetchDerivatives(made, y));
  if (order == 1) return Status();
  Output sum = maker.Add("no_derivative", "ZerosLike", {made.inputs[0]});
  for (size_t k = 0; k < kInputs; ++k) {
    const Output weights = maker.Const(StrCat("weights", k), Tensor::Vector<double>({WeightOf(k, 0), WeightOf(k, 1)}));
    const Output weighted = maker.Add(StrCat("weighted", k), "Mul", {made.fetches[1 + k], weights});
    sum = maker.Add(StrCat("sum", k), "AddV2", {sum, weighted});
  }
  return FetchDerivatives(made, sum);
}

Result<std::vector<double>> RunStep(const Differentiated& made, const std::vector<Tensor>& feeds,
                                    StepRunner::Options options) {
  StepRunner runner(options);
  DF_TRY(runner.Prepare(made.maker.graph, made.fetches, made.inputs));
  DF_ASSIGN(const std::vector<Tensor> results, runner.Run(feeds));
  std::vector<double> all;
  for (const Tensor& result : results) {
    const auto values = result.values<double>();
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

using First = Dual<double, kInputs * kWidth>;
using Second = Dual<First, kInputs * kWidth>;

// Returns the result, the derivatives of the sum of its elements by the inputs' elements, and the derivatives of their
// weighted sum.
std::vector<double> Expected(const FlowProgram& program, const std::vector<std::vector<double>>& inputs) {
  std::vector<FlowInterpreter<Second>::Value> at(kInputs);
  for (size_t k = 0; k < kInputs; ++k) {
    for (size_t j = 0; j < kWidth; ++j) {
      at[k][j] = inputs[k][j];
      at[k][j].value.derivative[k * kWidth + j] = 1;
      at[k][j].derivative[k * kWidth + j] = 1;
    }
  }
  const FlowInterpreter<Second>::Value result = FlowInterpreter<Second>::Run(program, at);
  Second sum;
  std::vector<double> all;
  for (const Second& element : result) {
    all.push_back(RealPart(element));
    sum = sum + element;
  }
  all.insert(all.end(), sum.value.derivative.begin(), sum.value.derivative.end());
  First weighted;
  for (size_t k = 0; k < kInputs; ++k) {
    for (size_t j = 0; j < kWidth; ++j) {
      weighted = weighted + sum.derivative[k * kWidth + j] * First(WeightOf(k, j));
    }
  }
  all.insert(all.end(), weighted.derivative.begin(), weighted.derivative.end());
  return all;
}

class RandomFlow : public ::testing::TestWithParam<int> {
 protected:
  static void CheckGraph(int seed, int order) {
    const std::vector<std::vector<double>> inputs = {{0.3, -0.7}, {0.9, 0.2}, {-0.4, 0.6}};
    std::vector<Tensor> feeds;
    for (const auto& input : inputs) feeds.push_back(Tensor::Vector<double>(input));
    const FlowProgram program = FlowProgramMaker(static_cast<uint64_t>(seed)).Make(kInputs, 3);
    Differentiated made;
    const Status built = Build(program, order, made);
    ASSERT_TRUE(built.ok()) << built.ToString();
    const Result<std::vector<double>> one = RunStep(made, feeds, {.threads = 1, .optimize = false});
    ASSERT_TRUE(one.ok()) << one.status().ToString();
    const std::vector<double> expected = Expected(program, inputs);
    ASSERT_EQ(one->size(), static_cast<size_t>(kWidth * (1 + order * kInputs)));
    for (size_t k = 0; k < one->size(); ++k) {
      ASSERT_NEAR((*one)[k], expected[k], 1e-11 * std::max(1.0, std::abs(expected[k]))) << "element " << k;
    }
    const Result<std::vector<double>> general = RunStep(made, feeds, {.threads = 1, .loop_programs = false});
    ASSERT_TRUE(general.ok()) << general.status().ToString();
    ASSERT_EQ(*general, *one);
    const Result<std::vector<double>> three = RunStep(made, feeds, {.threads = 3, .optimize = true});
    ASSERT_TRUE(three.ok()) << three.status().ToString();
    ASSERT_EQ(*three, *one);
  }

  static void CheckGraphs(int order) {
    for (int i = 0; i < kGraphsPerTest[order]; ++i) {
      const int seed = GetParam() * kGraphsPerTest[order] + i;
      SCOPED_TRACE(StrCat("seed ", seed));
      CheckGraph(seed, order);
      if (HasFatalFailure()) return;
    }
  }
};

TEST_P(RandomFlow, ValuesAndGradientsAreTheInterpreters) {
  CheckGraphs(1);
}

TEST_P(RandomFlow, SecondDerivativesToo) {
  CheckGraphs(2);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomFlow, ::testing::Range(0, 10));

}  // namespace
}  // namespace dfrun::testing
