#include <gtest/gtest.h>

#include "tests/unit/testing/node_runner.h"

namespace dfrun {
namespace {

using testing::ExpectNear;
using testing::NodeRunner;

template <class T>
Tensor VectorOf(const std::vector<double>& values) {
  Tensor tensor(DTypeOf<T>, Shape({static_cast<int64_t>(values.size())}));
  for (size_t i = 0; i < values.size(); ++i) tensor.data<T>()[i] = static_cast<T>(values[i]);
  return tensor;
}

const std::vector<double> kX = {-7, -1.5, -.3, 0, .4, 2.5, 7};
const std::vector<double> kDy = {1, -2, 3, .5, .25, -1, 2};

struct Case {
  const char* op;
  bool is_gradient;              // inputs are (kDy, kX), else kX
  std::vector<double> expected;  // from TensorFlow 2.21, float64
};
const Case kCases[] = {
    {"Relu", false, {0, 0, 0, 0, 0.4, 2.5, 7}},
    {"Relu6", false, {0, 0, 0, 0, 0.4, 2.5, 6}},
    {"LeakyRelu", false, {-1.4000000208616, -0.30000000447035, -0.06000000089407, 0, 0.4, 2.5, 7}},
    {"Elu", false, {-0.99908811803445, -0.77686983985157, -0.25918177931828, 0, 0.4, 2.5, 7}},
    {"Selu",
     false,
     {-1.7564961617648, -1.3658143533673, -0.45566731537912, 0, 0.42028039494219, 2.6267524683887, 7.3549069114884}},
    {"Softplus",
     false,
     {0.00091146645377424, 0.20141327798275, 0.55435524446853, 0.69314718055995, 0.91301525239995, 2.5788897342925,
      7.0009114664538}},
    {"Softsign", false, {-0.875, -0.6, -0.23076923076923, 0, 0.28571428571429, 0.71428571428571, 0.875}},
    {"ReluGrad", true, {0, 0, 0, 0, 0.25, -1, 2}},
    {"Relu6Grad", true, {0, 0, 0, 0, 0.25, -1, 0}},
    {"LeakyReluGrad", true, {0.20000000298023, -0.40000000596046, 0.6000000089407, 0.10000000149012, 0.25, -1, 2}},
    {"EluGrad", true, {-6, 1, 2.1, 0.5, 0.25, -1, 2}},
    {"SeluGrad",
     true,
     {-5.2419006591526, -0.51619868169475, 4.3742980225421, 0.52535049367774, 0.26267524683887, -1.0507009873555,
      2.101401974711}},
    {"SoftplusGrad",
     true,
     {0.00091105119440065, -0.36485104761271, 1.276672449565, 0.25, 0.14967191502811, -0.92414181997876,
      1.9981778976112}},
    {"SoftsignGrad", true, {0.015625, -0.32, 1.7751479289941, 0.5, 0.12755102040816, -0.081632653061224, 0.03125}},
};

template <class T>
class Activation : public ::testing::Test {};
using FloatTypes = ::testing::Types<double, float, float16, bfloat16>;
TYPED_TEST_SUITE(Activation, FloatTypes);

TYPED_TEST(Activation, AsTensorFlow) {
  NodeRunner runner;
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.op);
    const Tensor x = VectorOf<TypeParam>(kX);
    auto y = c.is_gradient ? runner.Run(c.op, {}, {VectorOf<TypeParam>(kDy), x}) : runner.Run(c.op, {}, {x});
    ASSERT_TRUE(y.ok()) << y.status().ToString();
    // The expected values have 14 digits. Narrower types: the argument is rounded (up to 7 times half an eps, and the
    // slope is at most 2), then the result.
    ExpectNear<TypeParam>((*y)[0], c.expected, sizeof(TypeParam) == 8 ? 2000 : 8);
  }
}

TEST(Activation, ExtremesStayFinite) {
  NodeRunner runner;
  const Tensor x = VectorOf<float>({-1e30, -200, 200, 1e30});
  ExpectNear<float>((*runner.Run("Softplus", {}, {x}))[0], {0, 0, 200, 1e30}, 1);
  ExpectNear<float>((*runner.Run("Elu", {}, {x}))[0], {-1, -1, 200, 1e30}, 1);
  ExpectNear<float>((*runner.Run("SoftplusGrad", {}, {VectorOf<float>({1, 1, 1, 1}), x}))[0], {0, 0, 1, 1}, 1);
}

TEST(Activation, IntegersToo) {
  NodeRunner runner;
  auto y = runner.Run("Relu6", {}, {Tensor::Vector<int8_t>({-128, -1, 0, 5, 127})});
  ASSERT_TRUE(y.ok()) << y.status().ToString();
  EXPECT_TRUE((*y)[0].Identical(Tensor::Vector<int8_t>({0, 0, 0, 5, 6})));
}

TEST(Activation, LargeTensorsAreSplit) {
  NodeRunner runner;
  Tensor x(DType::kFloat, Shape({100'001}));
  for (int64_t i = 0; i < x.num_elements(); ++i) x.data<float>()[i] = static_cast<float>(i - 50'000);
  for (const char* op : {"Relu", "LeakyRelu"}) {
    auto y = runner.Run(op, {{"alpha", 0.F}}, {x});
    if (std::string(op) == "Relu") y = runner.Run(op, {}, {x});
    ASSERT_TRUE(y.ok()) << y.status().ToString();
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      ASSERT_EQ((*y)[0].data<float>()[i], std::max(0.F, x.data<float>()[i])) << op;
    }
  }
}

TEST(Activation, GradientsRefuseOtherShapes) {
  NodeRunner runner;
  for (const char* op : {"ReluGrad", "EluGrad", "LeakyReluGrad"}) {
    auto y = runner.Run(NodeRunner::Way::kStaticShapes, op, {}, {VectorOf<float>({1, 2}), VectorOf<float>({1, 2, 3})});
    ASSERT_FALSE(y.ok());
    EXPECT_EQ(y.status().code(), Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace dfrun
