// Pooling and its gradients on emulated GPUs against CPUs, with numbers of channels that threads read as vectors and
// with others. The images have equal elements, NaN and infinities.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "src/framework/device/device_factory.h"
#include "tests/unit/testing/node_runner.h"
#include "tests/unit/testing/random_tensor.h"
#include "tests/unit/testing/tested_device.h"

namespace dfrun::testing {
namespace {

constexpr char kType[] = "gpu";

template <class T>
class PoolTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("DFRUN_DEVICE_PARTS", DFRUN_EMULATED_PARTS, 1);
    MakeDeviceOf(kType);
  }

  // Rounded, so that windows have equal elements.
  static Tensor Images(const Shape& shape, uint32_t seed) {
    Tensor images = RandomNormal<T>(shape, seed);
    std::transform(images.data<T>(), images.data<T>() + images.num_elements(), images.data<T>(),
                   [](T x) { return static_cast<T>(std::round(static_cast<float>(x))); });
    return images;
  }

  static void Compare(const std::string& op, const AttrMap& attrs, const std::vector<Input>& inputs, double tolerance) {
    SCOPED_TRACE(op);
    NodeRunner gpu(kType);
    NodeRunner host{std::string(HostDeviceType())};
    ASSERT_TRUE(gpu.HasKernel(op, attrs, inputs));
    const auto made = gpu.Run(NodeRunner::Way::kStaticShapes, op, attrs, inputs);
    const auto wanted = host.Run(NodeRunner::Way::kStaticShapes, op, attrs, inputs);
    ASSERT_TRUE(made.ok()) << made.status().ToString();
    ASSERT_TRUE(wanted.ok()) << wanted.status().ToString();
    ASSERT_EQ((*made)[0].shape(), (*wanted)[0].shape());
    for (int64_t i = 0; i < (*made)[0].num_elements(); ++i) {
      const auto x = static_cast<double>((*made)[0].template data<T>()[i]);
      const auto y = static_cast<double>((*wanted)[0].template data<T>()[i]);
      if (std::isnan(y)) {
        ASSERT_TRUE(std::isnan(x)) << i;
      } else if (x != y) {
        ASSERT_NEAR(x, y, tolerance * std::max(1.0, std::abs(y))) << i;
      }
    }
  }
};
using Floats = ::testing::Types<float, bfloat16, float16>;
TYPED_TEST_SUITE(PoolTest, Floats);

TYPED_TEST(PoolTest, IsTheHosts) {
  using T = TypeParam;
  const double tolerance = sizeof(T) == 4 ? 1e-6 : 0x1p-7;
  for (const int64_t channels : {16, 6}) {
    for (const char* padding : {"SAME", "VALID"}) {
      SCOPED_TRACE(StrCat(channels, " channels, ", padding));
      const AttrMap attrs = {{"ksize", std::vector<int64_t>{1, 3, 3, 1}},
                             {"strides", std::vector<int64_t>{1, 2, 1, 1}},
                             {"padding", padding}};
      Tensor x = this->Images(Shape({2, 7, 6, channels}), 1);
      x.data<T>()[3] = static_cast<T>(std::numeric_limits<float>::quiet_NaN());
      std::fill_n(x.data<T>() + 7 * channels, 4 * channels, static_cast<T>(-std::numeric_limits<float>::infinity()));
      NodeRunner host{std::string(HostDeviceType())};
      const auto y = host.Run(NodeRunner::Way::kStaticShapes, "MaxPool", attrs, {x});
      ASSERT_TRUE(y.ok()) << y.status().ToString();
      const Tensor dy = RandomNormal<T>((*y)[0].shape(), 2);
      this->Compare("MaxPool", attrs, {x}, 0);
      this->Compare("MaxPoolGrad", attrs, {x, (*y)[0], dy}, tolerance);
      const Tensor finite = this->Images(x.shape(), 3);
      this->Compare("AvgPool", attrs, {finite}, tolerance);
      const Tensor sizes = Tensor::Vector<int32_t>({2, 7, 6, static_cast<int32_t>(channels)});
      this->Compare("AvgPoolGrad", attrs, {sizes, dy}, tolerance);
    }
  }
}

}  // namespace
}  // namespace dfrun::testing
