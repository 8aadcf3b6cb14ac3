// The gradients of recurrent cells, which exist in float32 and less only, against numeric derivatives.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "src/autodiff/gradients.h"
#include "tests/unit/autodiff/gradient_checker.h"
#include "tests/unit/testing/graph_evaluator.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun::testing {
namespace {

struct RecurrentCase {
  std::string name;
  std::string op;
  AttrMap attrs;
  std::vector<Shape> shapes;  // shapes of the float inputs
  std::vector<int> results;   // outputs that pass gradients on
  int64_t steps = -1;         // number of steps, if an input before the others gives it
};

Tensor FloatsOf(const Shape& shape, uint64_t seed) {
  const Tensor wide = Uniform(shape, -1, 1, seed);
  Tensor floats(DType::kFloat, shape);
  std::copy_n(wide.data<double>(), wide.num_elements(), floats.data<float>());
  return floats;
}

class RecurrentGradient : public ::testing::TestWithParam<RecurrentCase> {
 protected:
  void SetUp() override {
    const RecurrentCase& test = GetParam();
    std::vector<Output> all;
    if (test.steps >= 0) all.push_back(maker_.Const("steps", Tensor::Scalar<int64_t>(test.steps)));
    for (size_t i = 0; i < test.shapes.size(); ++i) {
      feeds_[StrCat("x", i)] = {FloatsOf(test.shapes[i], i + 1)};
      inputs_.push_back(maker_.Placeholder(StrCat("x", i), test.shapes[i], DType::kFloat));
      all.push_back(inputs_.back());
    }
    const Output op = maker_.Add("op", test.op, all, test.attrs);
    for (int port : test.results) results_.push_back({op.node, port});
  }

  Result<std::vector<Tensor>> Results() { return GraphEvaluator(feeds_).Fetch(maker_.graph, results_); }

  // The sum of the results times their weights.
  double Value() {
    const Result<std::vector<Tensor>> results = Results();
    EXPECT_TRUE(results.ok()) << results.status().ToString();
    double sum = 0;
    for (size_t k = 0; results.ok() && k < results->size(); ++k) {
      for (int64_t i = 0; i < (*results)[k].num_elements(); ++i) {
        sum += double{(*results)[k].data<float>()[i]} * double{weights_[k].data<float>()[i]};
      }
    }
    return sum;
  }

  double NumericDerivative(float& x) {
    const float at = x;
    const auto slope = [&](float h) {
      x = at + h;
      const double above = Value();
      x = at - h;
      const double below = Value();
      x = at;
      return (above - below) / (2 * double{h});
    };
    return (4 * slope(0x1p-6F) - slope(0x1p-5F)) / 3;
  }

  GraphMaker maker_;
  GraphEvaluator::Values feeds_;
  std::vector<Output> inputs_;
  std::vector<Output> results_;
  std::vector<Tensor> weights_;
};

TEST_P(RecurrentGradient, AgreesWithNumericDerivatives) {
  const Result<std::vector<Tensor>> results = Results();
  ASSERT_TRUE(results.ok()) << results.status().ToString();
  GradientOptions options;
  for (size_t k = 0; k < results->size(); ++k) {
    weights_.push_back(FloatsOf((*results)[k].shape(), 50 + k));
    options.grad_ys.push_back(maker_.Const(StrCat("w", k), weights_[k]));
  }
  const Result<std::vector<GradientValue>> values = AddGradients(maker_.graph, results_, inputs_, options);
  ASSERT_TRUE(values.ok()) << values.status().ToString();
  for (size_t i = 0; i < inputs_.size(); ++i) {
    ASSERT_TRUE((*values)[i].exists) << "input " << i;
    const Result<std::vector<Tensor>> gradient = GraphEvaluator(feeds_).Fetch(maker_.graph, {(*values)[i].dense});
    ASSERT_TRUE(gradient.ok()) << gradient.status().ToString();
    Tensor& x = feeds_[StrCat("x", i)][0];
    ASSERT_EQ((*gradient)[0].shape(), x.shape());
    for (int64_t k = 0; k < x.num_elements(); ++k) {
      // Values of float32 give differences that are good to about 1e-5.
      EXPECT_NEAR((*gradient)[0].data<float>()[k], NumericDerivative(x.data<float>()[k]), 2e-4)
          << "input " << i << ", element " << k;
    }
  }
}

// x, cs_prev, h_prev, w, wci, wcf, wco, b for a batch of 2, 3 inputs and 2 cells.
std::vector<Shape> LstmShapes(const Shape& x) {
  return {x, Shape({2, 2}), Shape({2, 2}), Shape({5, 8}), Shape({2}), Shape({2}), Shape({2}), Shape({8})};
}

std::vector<RecurrentCase> Cases() {
  const AttrMap peepholes = {{"use_peephole", true}, {"cell_clip", 0.0}};
  const std::vector<Shape> cell = LstmShapes(Shape({2, 3}));
  const std::vector<Shape> block = LstmShapes(Shape({3, 2, 3}));
  const std::vector<Shape> gru = {Shape({2, 3}), Shape({2, 2}), Shape({5, 4}), Shape({5, 2}), Shape({4}), Shape({2})};
  const std::vector<int> gates = {0, 2, 3, 4, 5};
  const std::vector<int> all = {0, 1, 2, 3, 4, 5, 6};
  return {
      {"Cell", "LSTMBlockCell", {}, cell, {1, 6}},
      {"GatesOfCell", "LSTMBlockCell", {}, cell, gates},
      {"AllOfCellWithPeepholes", "LSTMBlockCell", peepholes, cell, all},
      {"GatesOfBlock", "BlockLSTM", {}, block, gates, 3},
      {"AllOfBlockWithPeepholes", "BlockLSTM", peepholes, block, all, 3},
      {"AllOfBlockOfFewerSteps", "BlockLSTM", peepholes, block, all, 2},
      {"GatesOfBlockV2", "BlockLSTMV2", {}, block, gates, 3},
      {"AllOfBlockV2WithPeepholes", "BlockLSTMV2", peepholes, block, all, 3},
      {"GatesOfGru", "GRUBlockCell", {}, gru, {0, 1, 2}},
      {"AllOfGru", "GRUBlockCell", {}, gru, {0, 1, 2, 3}},
      {"CellWithPeepholes", "LSTMBlockCell", peepholes, cell, {1, 6}},
      {"Block", "BlockLSTM", {}, block, {1, 6}, 3},
      {"BlockWithPeepholes", "BlockLSTM", peepholes, block, {1, 6}, 3},
      {"BlockOfFewerSteps", "BlockLSTM", peepholes, block, {1, 6}, 2},
      {"BlockV2", "BlockLSTMV2", {}, block, {1, 6}, 3},
      {"BlockV2WithPeepholes", "BlockLSTMV2", peepholes, block, {1, 6}, 3},
      {"Gru", "GRUBlockCell", {}, gru, {3}},
  };
}

INSTANTIATE_TEST_SUITE_P(Cells, RecurrentGradient, ::testing::ValuesIn(Cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace dfrun::testing
