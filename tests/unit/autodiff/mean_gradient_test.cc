// The gradient of a mean over more elements than its dtype can count.
#include <gtest/gtest.h>

#include <algorithm>

#include "src/autodiff/gradients.h"
#include "tests/unit/testing/graph_evaluator.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun::testing {
namespace {

template <class T>
float GradientOfMean(int64_t count, bool static_shape) {
  Tensor x(DTypeOf<T>, Shape({count}));
  std::fill_n(x.data<T>(), count, static_cast<T>(1.0F));
  GraphMaker maker;
  const Output in = maker.Placeholder("x", static_shape ? PartialShape({count}) : PartialShape(), DTypeOf<T>);
  const Output axes = maker.Const("axes", Tensor::Scalar<int32_t>(0));
  const Output mean = maker.Add("mean", "Mean", {in, axes});
  const auto gradients = AddGradients(maker.graph, {&mean, 1}, {&in, 1});
  EXPECT_TRUE(gradients.ok()) << gradients.status().ToString();
  GraphEvaluator::Values feeds;
  feeds["x"].push_back(x);
  GraphEvaluator evaluator(feeds);
  const auto values = evaluator.Fetch(maker.graph, {(*gradients)[0].dense});
  EXPECT_TRUE(values.ok()) << values.status().ToString();
  const Tensor& dx = (*values)[0];
  EXPECT_EQ(dx.shape(), x.shape());
  return static_cast<float>(dx.data<T>()[count - 1]);
}

TEST(MeanGradientTest, CountsMoreElementsThanItsDTypeHolds) {
  for (bool static_shape : {true, false}) {
    SCOPED_TRACE(static_shape);
    EXPECT_EQ(GradientOfMean<float16>(1 << 17, static_shape), 1.0F / (1 << 17));
    EXPECT_EQ(GradientOfMean<bfloat16>((1 << 17) - 255, static_shape), 1.0F / (1 << 17));  // to the nearest
    EXPECT_EQ(GradientOfMean<float>(100'000, static_shape), 1e-5F);
  }
}

}  // namespace
}  // namespace dfrun::testing
