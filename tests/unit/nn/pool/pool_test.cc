// Pooling against TensorFlow's results, as sums weighted by position.
#include <gtest/gtest.h>

#include "tests/unit/nn/images.h"
#include "tests/unit/testing/node_runner.h"

namespace dfrun {
namespace {

using testing::Checksum;
using testing::Counting;
using testing::NodeRunner;
using testing::ToChannelsFirst;
using testing::ToChannelsLast;

struct Case {
  int64_t n, h, w, c, kh, kw, sh, sw;
  const char* padding;
  int64_t out[2];
  double largest, largest_gradient, largest_second, average, average_gradient;  // from TensorFlow 2.21, float64
};
const Case kCases[] = {
    {2, 4, 4, 3, 2, 2, 2, 2, "VALID", {2, 2}, 506, -7, 38, -690, -297},
    {2, 5, 5, 3, 2, 2, 2, 2, "SAME", {3, 3}, 938, -5, 4, 4950, 477},
    {1, 5, 7, 2, 3, 3, 2, 2, "VALID", {2, 3}, 382, -14, 16, 386.66666666666663, 104},
    {1, 5, 7, 2, 3, 3, 1, 1, "SAME", {5, 7}, 2080, 21, -70, 829.99999999999955, 53},
    {2, 7, 5, 4, 3, 2, 2, 3, "SAME", {4, 2}, 1857, 43, 0, -60, 810},
    {41, 8, 8, 16, 2, 2, 2, 2, "VALID", {4, 4}, 293794, -1, 186, -915, -1926},
    {1, 3, 3, 1, 3, 3, 1, 1, "VALID", {1, 1}, 5, -8, 2, -13.333333333333334, -360},
};

// Scaled so that means over windows of up to 9 elements, 7 of them aside, are integers.
template <class T>
Tensor Scaled(Tensor t, int factor) {
  for (int64_t i = 0; i < t.num_elements(); ++i)
    t.data<T>()[i] = static_cast<T>(t.data<T>()[i] * static_cast<T>(factor));
  return t;
}

template <class T>
class Pool : public ::testing::Test {
 protected:
  Tensor Run(const char* op, const std::vector<testing::Input>& inputs) {
    auto out = runner_.Run(op, attrs_, inputs);
    EXPECT_TRUE(out.ok()) << op << ": " << out.status().ToString();
    return out.ok() ? (*out)[0] : Tensor();
  }
  void Use(const Case& c, bool first) {
    first_ = first;
    using List = std::vector<int64_t>;
    attrs_ = {{"ksize", first ? List{1, 1, c.kh, c.kw} : List{1, c.kh, c.kw, 1}},
              {"strides", first ? List{1, 1, c.sh, c.sw} : List{1, c.sh, c.sw, 1}},
              {"padding", c.padding},
              {"data_format", first ? "NCHW" : "NHWC"}};
  }
  Tensor InFormat(const Tensor& t) const { return first_ ? ToChannelsFirst<T>(t) : t; }
  double Sum(const Tensor& t) const { return Checksum<T>(first_ ? ToChannelsLast<T>(t) : t); }

  NodeRunner runner_;
  AttrMap attrs_;
  bool first_ = false;
};
using PoolTypes = ::testing::Types<float, double, int32_t>;
TYPED_TEST_SUITE(Pool, PoolTypes);

TYPED_TEST(Pool, AsTensorFlow) {
  using T = TypeParam;
  for (const Case& c : kCases) {
    for (bool first : {false, true}) {
      SCOPED_TRACE("case " + std::to_string(&c - kCases) + (first ? " NCHW" : " NHWC"));
      this->Use(c, first);
      const Tensor x = this->InFormat(Counting<T>(Shape({c.n, c.h, c.w, c.c}), 7, 11));
      const Tensor dy = this->InFormat(Counting<T>(Shape({c.n, c.out[0], c.out[1], c.c}), 3, 5));
      const Tensor y = this->Run("MaxPool", {x});
      ASSERT_EQ(y.shape(), dy.shape());
      EXPECT_EQ(this->Sum(y), c.largest);
      EXPECT_EQ(this->Sum(this->Run("MaxPoolGrad", {x, y, dy})), c.largest_gradient);
      const Tensor ddx = this->InFormat(Counting<T>(Shape({c.n, c.h, c.w, c.c}), 3, 5));
      EXPECT_EQ(this->Sum(this->Run("MaxPoolGradGrad", {x, y, ddx})), c.largest_second);
      if constexpr (std::is_same_v<T, int32_t>) continue;
      // Quotients by 3 and 9 round: a few eps of the values (up to 300), weighted by up to 13.
      const double eps = std::is_same_v<T, float> ? 0x1p-23 : 0x1p-52;
      const double tolerance = eps * 300 * 13 * static_cast<double>(x.num_elements());
      EXPECT_NEAR(this->Sum(this->Run("AvgPool", {Scaled<T>(x, 60)})), c.average, tolerance);
      std::vector<int32_t> sizes(x.shape().dims().begin(), x.shape().dims().end());
      const Tensor dx = this->Run("AvgPoolGrad", {Tensor::Vector<int32_t>(sizes), Scaled<T>(dy, 36)});
      EXPECT_NEAR(this->Sum(dx), c.average_gradient, tolerance);
    }
  }
}

TEST(PoolHalf, IsTheRoundedFloat) {
  NodeRunner runner;
  const AttrMap attrs = {
      {"ksize", std::vector<int64_t>{1, 2, 2, 1}}, {"strides", std::vector<int64_t>{1, 1, 1, 1}}, {"padding", "SAME"}};
  const Tensor sizes = Tensor::Vector<int32_t>({2, 5, 5, 3});
  for (const char* op : {"MaxPool", "AvgPool"}) {
    auto wide = runner.Run(op, attrs, {Counting<float>(Shape({2, 5, 5, 3}), 7, 11)});
    auto half = runner.Run(op, attrs, {Counting<bfloat16>(Shape({2, 5, 5, 3}), 7, 11)});
    ASSERT_TRUE(wide.ok() && half.ok()) << half.status().ToString();
    for (int64_t i = 0; i < (*wide)[0].num_elements(); ++i) {
      EXPECT_EQ((*half)[0].data<bfloat16>()[i].bits, bfloat16((*wide)[0].data<float>()[i]).bits);
    }
  }
  auto wide = runner.Run("AvgPoolGrad", attrs, {sizes, Counting<float>(Shape({2, 5, 5, 3}), 3, 5)});
  auto half = runner.Run("AvgPoolGrad", attrs, {sizes, Counting<float16>(Shape({2, 5, 5, 3}), 3, 5)});
  ASSERT_TRUE(wide.ok() && half.ok()) << half.status().ToString();
  for (int64_t i = 0; i < (*wide)[0].num_elements(); ++i) {
    EXPECT_EQ((*half)[0].data<float16>()[i].bits, float16((*wide)[0].data<float>()[i]).bits);
  }
}

TEST(PoolErrors, ShapesAndAttrs) {
  NodeRunner runner;
  using List = std::vector<int64_t>;
  const Tensor x = Counting<float>(Shape({1, 4, 4, 2}), 7, 11);
  const List ones = {1, 1, 1, 1};
  const auto refused = [&](const List& ksize, const List& strides, const Tensor& input) {
    for (const char* op : {"MaxPool", "AvgPool"}) {
      auto y = runner.Run(op, {{"ksize", ksize}, {"strides", strides}, {"padding", "VALID"}}, {input});
      ASSERT_FALSE(y.ok());
      EXPECT_TRUE(y.status().code() == Code::kInvalidArgument || y.status().code() == Code::kUnimplemented);
    }
  };
  for (const List& ksize : {List{1, 5, 2, 1}, List{1, 0, 2, 1}, List{1, 2, 2, 2}, List{2, 2, 2, 1}, List{1, -2, 2, 1},
                            List{1, INT64_MAX, 2, 1}, List{1, 2, 2, 1, 1}}) {
    refused(ksize, ones, x);
  }
  refused({1, 2, 2, 1}, {1, 0, 1, 1}, x);
  refused({1, 2, 2, 1}, ones, Counting<float>(Shape({4, 4, 2}), 7, 11));
  const AttrMap attrs = {{"ksize", List{1, 2, 2, 1}}, {"strides", ones}, {"padding", "VALID"}};
  const Tensor y = Counting<float>(Shape({1, 3, 3, 2}), 3, 5);
  for (NodeRunner::Way way : {NodeRunner::Way::kUnknownShapes, NodeRunner::Way::kStaticShapes}) {
    EXPECT_EQ(runner.Run(way, "MaxPoolGrad", attrs, {x, y, x}).status().code(), Code::kInvalidArgument);
    EXPECT_EQ(runner.Run(way, "MaxPoolGrad", attrs, {x, x, x}).status().code(), Code::kInvalidArgument);
    for (const Tensor& sizes : {Tensor::Vector<int32_t>({1, 5, 5, 2}), Tensor::Vector<int32_t>({1, 4, 4}),
                                Tensor::Vector<int32_t>({1, -4, 4, 2}), Tensor::Scalar<int32_t>(1)}) {
      EXPECT_EQ(runner.Run(way, "AvgPoolGrad", attrs, {sizes, y}).status().code(), Code::kInvalidArgument)
          << sizes.ToString();
    }
  }
}

}  // namespace
}  // namespace dfrun
