// The second derivatives of batch normalisation. Those of the gradient op are compared with TensorFlow's, since in
// training that op is differentiated as if it computed its statistics from x; those through both ops with numeric
// derivatives.
#include <gtest/gtest.h>

#include <algorithm>

#include "src/autodiff/gradients.h"
#include "tests/unit/testing/graph_evaluator.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun::testing {
namespace {

// Element i is (i * factor % modulus - modulus / 2) / 4 + plus.
Tensor Quarters(const Shape& shape, int64_t factor, int64_t modulus, float plus = 0) {
  Tensor tensor(DType::kFloat, shape);
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    tensor.data<float>()[i] = static_cast<float>(i * factor % modulus - modulus / 2) / 4 + plus;
  }
  return tensor;
}

// TensorFlow 2.21's results for y_backprop, x and scale.
struct Case {
  const char* format;
  bool is_training;
  std::vector<float> dy, x, scale;
};

void Check(const Case& expected) {
  GraphMaker maker;
  const Shape images({2, 2, 1, 2});
  const Shape channels({2});
  const Output dy = maker.Const("dy", Quarters(images, 5, 13));
  const Output x = maker.Const("x", Quarters(images, 7, 11));
  const Output scale = maker.Const("scale", Quarters(channels, 3, 5, 2));
  const Output mean = maker.Const("mean", Quarters(channels, 2, 3));
  const Output variance = maker.Const("variance", Quarters(channels, 2, 3, 1.5F));
  const Output op =
      maker.Add("op", "FusedBatchNormGradV3", {dy, x, scale, mean, variance, mean},
                {{"epsilon", 0.125F}, {"data_format", expected.format}, {"is_training", expected.is_training}});
  GradientOptions options;
  options.grad_ys = {maker.Const("w0", Quarters(images, 3, 7)), maker.Const("w1", Quarters(channels, 2, 5)),
                     maker.Const("w2", Quarters(channels, 4, 7))};
  const std::vector<Output> ys = {op, {op.node, 1}, {op.node, 2}};
  const std::vector<Output> xs = {dy, x, scale};
  const auto gradients = AddGradients(maker.graph, ys, xs, options);
  ASSERT_TRUE(gradients.ok()) << gradients.status().ToString();
  std::vector<Output> values;
  for (const GradientValue& gradient : *gradients) {
    ASSERT_TRUE(gradient.exists);
    values.push_back(*DenseGradient(maker.graph, gradient, x, "unused"));
  }
  const Result<std::vector<Tensor>> actual = GraphEvaluator().Fetch(maker.graph, values);
  ASSERT_TRUE(actual.ok()) << actual.status().ToString();
  const std::vector<float>* wanted[] = {&expected.dy, &expected.x, &expected.scale};
  for (size_t k = 0; k < 3; ++k) {
    ASSERT_EQ((*actual)[k].num_elements(), static_cast<int64_t>(wanted[k]->size()));
    for (size_t i = 0; i < wanted[k]->size(); ++i) {
      EXPECT_NEAR((*actual)[k].data<float>()[i], (*wanted[k])[i], 2e-6) << "input " << k << ", element " << i;
    }
  }
}

// s = <v, dL/dx> where L weighs the images, the mean and the variance that the node gives.
class SecondDerivative {
 public:
  explicit SecondDerivative(bool is_training) {
    const AttrMap attrs = {{"epsilon", 0.125F}, {"is_training", is_training}, {"exponential_avg_factor", 0.75F}};
    for (const char* name : {"x", "scale", "offset", "mean", "variance"}) {
      const Shape shape = name[0] == 'x' ? Shape({2, 2, 1, 2}) : Shape({2});
      feeds_[name] = {Quarters(shape, 7 + static_cast<int64_t>(xs_.size()), 11, name[0] == 'v' ? 2.5F : 0)};
      xs_.push_back(maker_.Placeholder(name, shape, DType::kFloat));
    }
    const Output op = maker_.Add("op", "FusedBatchNormV3", xs_, attrs);
    GradientOptions weights;
    weights.grad_ys = {maker_.Const("w0", Quarters(Shape({2, 2, 1, 2}), 3, 7)),
                       maker_.Const("w1", Quarters(Shape({2}), 2, 5)), maker_.Const("w2", Quarters(Shape({2}), 4, 7))};
    const std::vector<Output> ys = {op, {op.node, 1}, {op.node, 2}};
    const auto first = AddGradients(maker_.graph, ys, std::vector<Output>{xs_[0]}, weights);
    EXPECT_TRUE(first.ok()) << first.status().ToString();
    const Output product =
        maker_.Add("product", "Mul", {(*first)[0].dense, maker_.Const("v", Quarters(Shape({2, 2, 1, 2}), 5, 13))});
    s_ = maker_.Add("s", "Sum", {product, maker_.Const("axes", Tensor::Vector<int32_t>({0, 1, 2, 3}))});
    const auto second = AddGradients(maker_.graph, std::vector<Output>{s_}, xs_, {});
    EXPECT_TRUE(second.ok()) << second.status().ToString();
    for (const GradientValue& value : *second) second_.push_back(value);
  }

  // Checks at most 8 elements of input k.
  void Check(size_t k) {
    Tensor& x = feeds_[maker_.graph.node(xs_[k].node).name][0];
    std::vector<float> expected;
    for (int64_t i = 0; i < x.num_elements(); ++i) expected.push_back(Slope(x.data<float>()[i]));
    ASSERT_TRUE(second_[k].exists || std::ranges::all_of(expected, [](float e) { return e == 0; })) << "input " << k;
    if (!second_[k].exists) return;
    const Tensor actual = Value(second_[k].dense);
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(actual.data<float>()[i], expected[i], 5e-4) << "input " << k << ", element " << i;
    }
  }

 private:
  Tensor Value(Output of) {
    const auto values = GraphEvaluator(feeds_).Fetch(maker_.graph, {of});
    EXPECT_TRUE(values.ok()) << values.status().ToString();
    return values.ok() ? (*values)[0] : Tensor::Scalar<float>(0);
  }
  float Slope(float& x) {
    const float at = x;
    const auto difference = [&](float step) {
      x = at + step;
      const double above = Value(s_).scalar<float>();
      x = at - step;
      const double below = Value(s_).scalar<float>();
      x = at;
      return (above - below) / (2 * double{step});
    };
    return static_cast<float>((4 * difference(0x1p-6F) - difference(0x1p-5F)) / 3);
  }

  GraphMaker maker_;
  GraphEvaluator::Values feeds_;
  std::vector<Output> xs_;
  Output s_;
  std::vector<GradientValue> second_;
};

TEST(BatchNormSecondGradient, ThroughAllResultsInTraining) {
  SecondDerivative test(/*is_training=*/true);
  for (size_t k = 0; k < 5; ++k) test.Check(k);
}

TEST(BatchNormSecondGradient, ThroughAllResultsInInference) {
  SecondDerivative test(/*is_training=*/false);
  for (size_t k = 0; k < 5; ++k) test.Check(k);
}

TEST(BatchNormSecondGradient, InTraining) {
  Check({"NHWC",
         true,
         {-1.099881, 1.17582, 0.5756589, 0.1342725, -0.6333731, 0.3657275, -1.842405, -0.6758201},
         {2.318051, 1.140743, -1.321417, 0.2149226, -0.7726836, -0.2149224, -0.2239505, -1.140743},
         {1.926287, -0.2828895}});
}

TEST(BatchNormSecondGradient, InTrainingWithChannelsFirst) {
  Check({"NCHW",
         true,
         {-0.3874416, -1.628165, 1.910704, -0.06138211, -0.3095962, -0.6747974, 1.227394, -2.076716},
         {2.070592, 0.7053854, 1.475563, -0.3550541, -0.4354526, -2.340524, 0.9431672, -2.063676},
         {0.2196013, -0.1162877}});
}

TEST(BatchNormSecondGradient, InInference) {
  Check({"NHWC",
         false,
         {-1.283002, 0.25, 0.3160036, -0.1607919, -0.3235985, -0.5715838, -0.9632007, -0.9823759},
         {0.6396022, 0, -0.4264014, 0, -0.1066004, 0, 0.2132007, 0},
         {1.599005, -0.7759403}});
}

}  // namespace
}  // namespace dfrun::testing
