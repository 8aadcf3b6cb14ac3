// Batch normalisation of images that take several blocks, against a plain computation in float64.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/nn/images.h"
#include "tests/unit/testing/node_runner.h"

namespace dfrun {
namespace {

using testing::Counting;
using testing::NodeRunner;
using testing::ToChannelsFirst;
using testing::ToChannelsLast;

constexpr int64_t kChannels = 48;
constexpr double kEpsilon = 0.25;  // exact in float

// The sums over NHWC images, by channel, that every formula of batch normalisation uses.
struct Moments {
  Moments(const Tensor& x, const Tensor& dy)
      : mean(kChannels), variance(kChannels), sum(kChannels), product(kChannels) {
    const auto n = static_cast<double>(x.num_elements() / kChannels);
    for (int64_t i = 0; i < x.num_elements(); ++i) mean[At(i)] += x.data<float>()[i] / n;
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      const double d = x.data<float>()[i] - mean[At(i)];
      variance[At(i)] += d * d / n;
      sum[At(i)] += dy.data<float>()[i];
      product[At(i)] += dy.data<float>()[i] * d;
    }
  }
  static size_t At(int64_t i) { return static_cast<size_t>(i % kChannels); }
  std::vector<double> mean, variance, sum, product;
};

class BatchNorm : public ::testing::TestWithParam<bool> {
 protected:
  bool first() const { return GetParam(); }
  Tensor InFormat(const Tensor& t) const { return first() ? ToChannelsFirst<float>(t) : t; }
  Tensor Back(const Tensor& t) const { return first() ? ToChannelsLast<float>(t) : t; }
  std::vector<Tensor> Run(const char* op, const std::vector<testing::Input>& inputs) {
    const AttrMap attrs = {{"epsilon", static_cast<float>(kEpsilon)}, {"data_format", first() ? "NCHW" : "NHWC"}};
    auto out = runner_.Run(op, attrs, inputs);  // all variants of a plan, which must give equal bits
    EXPECT_TRUE(out.ok()) << out.status().ToString();
    return out.ok() ? *out : std::vector<Tensor>(6, Tensor(DType::kFloat, Shape({0})));
  }
  static void ExpectNear(const Tensor& actual, const std::vector<double>& expected, double tolerance) {
    ASSERT_EQ(actual.num_elements(), static_cast<int64_t>(expected.size()));
    for (size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(actual.data<float>()[i], expected[i], tolerance) << i;
  }
  NodeRunner runner_;
  const Tensor x_ = Counting<float>(Shape({5, 40, 31, kChannels}), 7, 11);
  const Tensor dy_ = Counting<float>(Shape({5, 40, 31, kChannels}), 5, 13);
  const Tensor scale_ = Counting<float>(Shape({kChannels}), 3, 5);
  const Tensor offset_ = Counting<float>(Shape({kChannels}), 2, 7);
  const Moments m_{x_, dy_};
};

// Values are up to 10, so that 2e-6 is a few eps of them.
TEST_P(BatchNorm, Training) {
  const Tensor none(DType::kFloat, Shape({0}));
  const std::vector<Tensor> out = Run("FusedBatchNormV3", {InFormat(x_), scale_, offset_, none, none});
  ExpectNear(out[3], m_.mean, 1e-6);
  ExpectNear(out[4], m_.variance, 1e-5);
  const auto n = static_cast<double>(x_.num_elements() / kChannels);
  std::vector<double> unbiased = m_.variance;
  for (double& variance : unbiased) variance *= n / (n - 1);
  ExpectNear(out[2], unbiased, 1e-5);
  std::vector<double> y;
  for (int64_t i = 0; i < x_.num_elements(); ++i) {
    const size_t c = Moments::At(i);
    y.push_back((x_.data<float>()[i] - m_.mean[c]) / std::sqrt(m_.variance[c] + kEpsilon) * scale_.data<float>()[c] +
                offset_.data<float>()[c]);
  }
  ExpectNear(Back(out[0]), y, 2e-6);
}

TEST_P(BatchNorm, Gradient) {
  Tensor mean(DType::kFloat, Shape({kChannels}));
  Tensor variance(DType::kFloat, Shape({kChannels}));
  std::copy(m_.mean.begin(), m_.mean.end(), mean.data<float>());
  std::copy(m_.variance.begin(), m_.variance.end(), variance.data<float>());
  const std::vector<Tensor> out =
      Run("FusedBatchNormGradV3", {InFormat(dy_), InFormat(x_), scale_, mean, variance, mean});
  const auto n = static_cast<double>(x_.num_elements() / kChannels);
  std::vector<double> dx;
  for (int64_t i = 0; i < x_.num_elements(); ++i) {
    const size_t c = Moments::At(i);
    const double d = x_.data<float>()[i] - m_.mean[c];
    const double v = m_.variance[c] + kEpsilon;
    dx.push_back(scale_.data<float>()[c] / std::sqrt(v) *
                 (dy_.data<float>()[i] - m_.sum[c] / n - d / v * m_.product[c] / n));
  }
  ExpectNear(Back(out[0]), dx, 4e-6);
  std::vector<double> by_scale;
  for (size_t c = 0; c < m_.product.size(); ++c) {
    by_scale.push_back(m_.product[c] / std::sqrt(m_.variance[c] + kEpsilon));
  }
  ExpectNear(out[1], by_scale, 1e-2);  // sums of 6200 terms of up to 30
  ExpectNear(out[2], m_.sum, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(, BatchNorm, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "ChannelsFirst" : "ChannelsLast"; });

}  // namespace
}  // namespace dfrun
