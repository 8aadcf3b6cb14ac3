// Batch normalisation on emulated GPUs. Fused with the ops that follow it, it has the bits of the separate ops. With so
// many images that sums are made in parts, it has the results of CPUs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "src/framework/device/device_factory.h"
#include "tests/unit/testing/node_runner.h"
#include "tests/unit/testing/random_tensor.h"
#include "tests/unit/testing/tested_device.h"

namespace dfrun::testing {
namespace {

constexpr char kType[] = "gpu";

class BatchNormTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("DFRUN_DEVICE_PARTS", DFRUN_EMULATED_PARTS, 1);
    MakeDeviceOf(kType);
  }
  static std::vector<Tensor> OnGpu(const std::string& op, const AttrMap& attrs, const std::vector<Input>& inputs) {
    NodeRunner runner(kType);
    auto outputs = runner.Run(NodeRunner::Way::kStaticShapes, op, attrs, inputs);
    EXPECT_TRUE(outputs.ok()) << outputs.status().ToString();
    return outputs.ok() ? *outputs : std::vector<Tensor>(6);
  }
};

template <class T>
class FusedBatchNormTest : public BatchNormTest {};
using Images = ::testing::Types<float, bfloat16, float16>;
TYPED_TEST_SUITE(FusedBatchNormTest, Images);

// One number of channels is read as vectors, the other is not.
TYPED_TEST(FusedBatchNormTest, HasTheBitsOfItsOps) {
  using T = TypeParam;
  for (const int64_t channels : {16, 5}) {
    for (const bool is_training : {true, false}) {
      SCOPED_TRACE(StrCat(channels, " channels, training: ", is_training));
      const Shape shape({3, 7, 5, channels});
      std::vector<Input> inputs = {RandomNormal<T>(shape, 1)};
      for (uint32_t seed = 2; seed < 6; ++seed) {
        Tensor numbers = RandomNormal<float>(Shape({channels}), seed);
        std::transform(numbers.data<float>(), numbers.data<float>() + channels, numbers.data<float>(),
                       [](float x) { return std::abs(x) + 0.5F; });
        inputs.emplace_back(numbers);
      }
      const Tensor side = RandomNormal<T>(shape, 6);
      AttrMap attrs = {{"is_training", is_training}};
      const std::vector<Tensor> plain = this->OnGpu("FusedBatchNormV3", attrs, inputs);
      attrs.Set("activation_mode", "Relu");
      attrs.Set("num_side_inputs", int64_t{0});
      const std::vector<Tensor> with_relu = this->OnGpu("_FusedBatchNormEx", attrs, inputs);
      EXPECT_TRUE(with_relu[0].Identical(this->OnGpu("Relu", {}, {plain[0]})[0]));
      for (int i = 1; i < 5; ++i) EXPECT_TRUE(with_relu[i].Identical(plain[i])) << i;
      attrs.Set("num_side_inputs", int64_t{1});
      inputs.emplace_back(side);
      const std::vector<Tensor> with_both = this->OnGpu("_FusedBatchNormEx", attrs, inputs);
      const Tensor sum = this->OnGpu("AddV2", {}, {plain[0], side})[0];
      EXPECT_TRUE(with_both[0].Identical(this->OnGpu("Relu", {}, {sum})[0]));
    }
  }
}

TEST_F(BatchNormTest, ASideInputMustFit) {
  NodeRunner runner(kType);
  const Tensor x = RandomNormal<float>(Shape({1, 2, 2, 3}), 1);
  const Tensor c = RandomNormal<float>(Shape({3}), 1);
  const AttrMap attrs = {{"activation_mode", "Relu"}, {"num_side_inputs", int64_t{1}}};
  const auto outputs = runner.Run(NodeRunner::Way::kUnknownShapes, "_FusedBatchNormEx", attrs,
                                  {x, c, c, c, c, RandomNormal<float>(Shape({1, 2, 2, 1}), 2)});
  EXPECT_EQ(outputs.status().code(), Code::kInvalidArgument) << outputs.status().ToString();
}

double Difference(const Tensor& a, const Tensor& b) {
  double difference = 0;
  double size = 1e-6;
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    const double x = a.data<float>()[i];
    const double y = b.data<float>()[i];
    if (std::isnan(x)) return INFINITY;
    difference = std::max(difference, std::abs(x - y));
    size = std::max(size, std::abs(y));
  }
  return difference / size;
}

// The means are far from 0, in both layouts.
TEST_F(BatchNormTest, SumsInPartsAreNearTheHosts) {
  for (const char* data_format : {"NHWC", "NCHW"}) {
    for (const int64_t channels : {64, 3}) {
      SCOPED_TRACE(StrCat(data_format, " ", channels));
      const bool first = data_format[1] == 'C';
      const Shape shape = first ? Shape({4, channels, 50, 50}) : Shape({4, 50, 50, channels});
      Tensor x = RandomNormal<float>(shape, 1);
      std::transform(x.data<float>(), x.data<float>() + x.num_elements(), x.data<float>(),
                     [](float value) { return value + 1000; });
      const Tensor dy = RandomNormal<float>(shape, 2);
      const Tensor scale = RandomNormal<float>(Shape({channels}), 3);
      const Tensor none(DType::kFloat, Shape({0}));
      NodeRunner gpu(kType);
      NodeRunner host{std::string(HostDeviceType())};
      const AttrMap attrs = {{"data_format", data_format}};
      const std::vector<Input> inputs = {x, scale, scale, none, none};
      const auto made = gpu.Run(NodeRunner::Way::kStaticShapes, "FusedBatchNormV3", attrs, inputs);
      const auto wanted = host.Run(NodeRunner::Way::kStaticShapes, "FusedBatchNormV3", attrs, inputs);
      ASSERT_TRUE(made.ok() && wanted.ok()) << made.status().ToString() << wanted.status().ToString();
      for (int i = 0; i < 5; ++i) EXPECT_LT(Difference((*made)[i], (*wanted)[i]), 1e-5) << i;
      const std::vector<Input> grads = {dy, x, scale, (*wanted)[3], (*wanted)[4], none};
      NodeRunner second_gpu(kType);
      NodeRunner second_host{std::string(HostDeviceType())};
      const auto back = second_gpu.Run(NodeRunner::Way::kStaticShapes, "FusedBatchNormGradV3", attrs, grads);
      const auto wanted_back = second_host.Run(NodeRunner::Way::kStaticShapes, "FusedBatchNormGradV3", attrs, grads);
      ASSERT_TRUE(back.ok() && wanted_back.ok()) << back.status().ToString() << wanted_back.status().ToString();
      for (int i = 0; i < 3; ++i) EXPECT_LT(Difference((*back)[i], (*wanted_back)[i]), 1e-5) << i;
    }
  }
}

}  // namespace
}  // namespace dfrun::testing
