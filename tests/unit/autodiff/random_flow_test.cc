// Random nested conditionals and loops and their gradients, against an interpreter with dual numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "src/autodiff/gradients.h"
#include "tests/unit/testing/random_flow.h"
#include "tests/unit/testing/step_runner.h"

namespace dfrun::testing {
namespace {

constexpr int kInputs = 3;
constexpr int kGraphsPerTest = 100;

// A program as a graph with feeds, and its result and gradients as fetches.
struct Differentiated {
  FlowGraphMaker maker;
  std::vector<Output> inputs;
  std::vector<Output> fetches;
};

Status Build(const FlowProgram& program, Differentiated& made) {
  for (int k = 0; k < kInputs; ++k) {
    made.inputs.push_back(made.maker.Placeholder(StrCat("x", k), PartialShape({kWidth})));
  }
  const Output y = made.maker.Make(program, made.inputs);
  made.fetches = {y};
  DF_ASSIGN(const std::vector<GradientValue> gradients, AddGradients(made.maker.graph, {&y, 1}, made.inputs));
  for (size_t k = 0; k < kInputs; ++k) {
    const Output zeros = made.maker.Add(StrCat("zeros", k), "ZerosLike", {made.inputs[k]});
    made.fetches.push_back(gradients[k].exists ? gradients[k].dense : zeros);
  }
  return Status();
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

std::vector<double> Expected(const FlowProgram& program, const std::vector<std::vector<double>>& inputs) {
  const FlowInterpreter::Value result = FlowInterpreter::Run(program, inputs);
  std::vector<double> all;
  for (const FlowInterpreter::Dual& element : result) all.push_back(element.value);
  for (size_t i = 0; i < kInputs * kWidth; ++i) {
    double sum = 0;
    for (const FlowInterpreter::Dual& element : result) sum += element.derivative[i];
    all.push_back(sum);
  }
  return all;
}

class RandomFlow : public ::testing::TestWithParam<int> {};

TEST_P(RandomFlow, ValuesAndGradientsAreTheInterpreters) {
  const std::vector<std::vector<double>> inputs = {{0.3, -0.7}, {0.9, 0.2}, {-0.4, 0.6}};
  std::vector<Tensor> feeds;
  for (const auto& input : inputs) feeds.push_back(Tensor::Vector<double>(input));
  for (int i = 0; i < kGraphsPerTest; ++i) {
    const int seed = GetParam() * kGraphsPerTest + i;
    SCOPED_TRACE(StrCat("seed ", seed));
    const FlowProgram program = FlowProgramMaker(static_cast<uint64_t>(seed)).Make(kInputs, 3);
    Differentiated made;
    const Status built = Build(program, made);
    ASSERT_TRUE(built.ok()) << built.ToString();
    const Result<std::vector<double>> one = RunStep(made, feeds, {.threads = 1, .optimize = false});
    ASSERT_TRUE(one.ok()) << one.status().ToString();
    const std::vector<double> expected = Expected(program, inputs);
    ASSERT_EQ(one->size(), expected.size());
    for (size_t k = 0; k < expected.size(); ++k) {
      ASSERT_NEAR((*one)[k], expected[k], 1e-11 * std::max(1.0, std::abs(expected[k]))) << "element " << k;
    }
    const Result<std::vector<double>> three = RunStep(made, feeds, {.threads = 3, .optimize = true});
    ASSERT_TRUE(three.ok()) << three.status().ToString();
    ASSERT_EQ(*three, *one);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomFlow, ::testing::Range(0, 10));

}  // namespace
}  // namespace dfrun::testing
