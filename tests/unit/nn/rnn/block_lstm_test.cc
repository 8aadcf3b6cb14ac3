// Cases that no golden file can hold: steps beyond seq_len_max, where TensorFlow leaves part of its outputs undefined,
// and numbers of steps that end TensorFlow's process.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/testing/node_runner.h"

namespace dfrun::testing {
namespace {

Tensor Ramp(const Shape& shape, float scale) {
  Tensor values(DType::kFloat, shape);
  for (int64_t i = 0; i < values.num_elements(); ++i) values.data<float>()[i] = scale * static_cast<float>(i % 7 - 3);
  return values;
}

std::vector<Input> Inputs(int64_t steps, int64_t batch, int64_t cells) {
  return {Tensor::Scalar<int64_t>(steps),
          Ramp(Shape({3, batch, 3}), 0.3F),
          Ramp(Shape({batch, cells}), 0.1F),
          Ramp(Shape({batch, cells}), 0.2F),
          Ramp(Shape({3 + cells, 4 * cells}), 0.1F),
          Ramp(Shape({cells}), 0.1F),
          Ramp(Shape({cells}), 0.2F),
          Ramp(Shape({cells}), 0.3F),
          Ramp(Shape({4 * cells}), 0.1F)};
}

TEST(BlockLstm, StepsBeyondTheLastAreZeros) {
  NodeRunner runner;
  for (const char* op : {"BlockLSTM", "BlockLSTMV2"}) {
    const auto all = runner.Run(op, {}, Inputs(3, 2, 2));
    const auto two = runner.Run(op, {}, Inputs(2, 2, 2));
    ASSERT_TRUE(all.ok() && two.ok()) << all.status().ToString() << two.status().ToString();
    for (size_t i = 0; i < 7; ++i) {
      const float* expected = (*all)[i].data<float>();
      const float* actual = (*two)[i].data<float>();
      EXPECT_TRUE(std::equal(actual, actual + 8, expected)) << op << " output " << i;
      EXPECT_EQ(std::count(actual + 8, actual + 12, 0.0F), 4) << op << " output " << i;
    }
  }
}

TEST(BlockLstm, StepsThatXDoesNotHaveAreRefused) {
  NodeRunner runner;
  for (int64_t steps : {int64_t{-1}, int64_t{4}, INT64_MAX, INT64_MIN}) {
    const auto refused = runner.Run("BlockLSTM", {}, Inputs(steps, 2, 2));
    EXPECT_EQ(refused.status().code(), Code::kInvalidArgument) << steps;
  }
}

// Large enough for products and elements to be split over threads; Run() compares the bits.
TEST(BlockLstm, LargeCellsAreTheSameOnAnyNumberOfThreads) {
  NodeRunner runner;
  const auto states = runner.Run("BlockLSTM", {{"use_peephole", true}}, Inputs(3, 40, 130));
  ASSERT_TRUE(states.ok()) << states.status().ToString();
  std::vector<Input> inputs = Inputs(3, 40, 130);
  for (const Tensor& state : *states) inputs.emplace_back(state);
  inputs.emplace_back(Ramp(Shape({3, 40, 130}), 1.0F));
  inputs.emplace_back(Ramp(Shape({3, 40, 130}), 0.5F));
  const auto gradients = runner.Run("BlockLSTMGrad", {{"use_peephole", true}}, inputs);
  ASSERT_TRUE(gradients.ok()) << gradients.status().ToString();
}

}  // namespace
}  // namespace dfrun::testing
