// Products of matrices on emulated GPUs, followed by a bias, Relu and Gelu: by the product's own tiles and by the
// library, and with rows of which the library gets padded copies.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "src/framework/device/device_factory.h"
#include "src/framework/op/arithmetic.h"
#include "tests/unit/testing/node_runner.h"
#include "tests/unit/testing/random_tensor.h"
#include "tests/unit/testing/tested_device.h"

namespace dfrun::testing {
namespace {

constexpr char kType[] = "gpu";

class ProductTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("DFRUN_DEVICE_PARTS", DFRUN_EMULATED_PARTS, 1);
    MakeDeviceOf(kType);
  }
  static std::vector<Tensor> AllOnGpu(const std::string& op, const AttrMap& attrs, const std::vector<Input>& inputs) {
    NodeRunner runner(kType);
    auto outputs = runner.Run(NodeRunner::Way::kStaticShapes, op, attrs, inputs);
    EXPECT_TRUE(outputs.ok()) << outputs.status().ToString();
    return outputs.ok() ? *outputs : std::vector<Tensor>(2);
  }
  static Tensor OnGpu(const std::string& op, const AttrMap& attrs, const std::vector<Input>& inputs) {
    return AllOnGpu(op, attrs, inputs)[0];
  }
};

template <class T>
class FusedProductTest : public ProductTest {};
using Followed = ::testing::Types<float, double, bfloat16, float16>;
TYPED_TEST_SUITE(FusedProductTest, Followed);

// The sizes are for tiles, and for the library with rows of vectors and without.
TYPED_TEST(FusedProductTest, HasTheBitsOfItsOps) {
  using T = TypeParam;
  for (const int64_t size : {7, 136, 142}) {
    SCOPED_TRACE(size);
    const Tensor a = RandomNormal<T>(Shape({size, size + 1}), 1);
    const Tensor b = RandomNormal<T>(Shape({size + 1, size + 2}), 2);
    const Tensor bias = RandomNormal<T>(Shape({size + 2}), 3);
    const Tensor biased = this->OnGpu("BiasAdd", {}, {this->OnGpu("MatMul", {}, {a, b}), bias});
    AttrMap attrs = {{"num_args", int64_t{1}}, {"fused_ops", std::vector<std::string>{"BiasAdd"}}};
    EXPECT_TRUE(this->OnGpu("_FusedMatMul", attrs, {a, b, bias}).Identical(biased));
    attrs.Set("fused_ops", std::vector<std::string>{"BiasAdd", "Relu"});
    EXPECT_TRUE(this->OnGpu("_FusedMatMul", attrs, {a, b, bias}).Identical(this->OnGpu("Relu", {}, {biased})));
    for (const bool approximate : {false, true}) {
      SCOPED_TRACE(approximate);
      const Tensor gelu = this->OnGpu("Gelu", {{"approximate", approximate}}, {biased});
      attrs.Set("fused_ops", std::vector<std::string>{"BiasAdd", approximate ? "GeluApproximate" : "GeluExact"});
      EXPECT_TRUE(this->OnGpu("_FusedMatMul", attrs, {a, b, bias}).Identical(gelu));
      const auto both = this->AllOnGpu("_MatMulBiasGelu", {{"approximate", approximate}}, {a, b, bias});
      EXPECT_TRUE(both[0].Identical(biased));
      EXPECT_TRUE(both[1].Identical(gelu));
    }
  }
}

// The product has a NaN, and the bias has one.
TYPED_TEST(FusedProductTest, GeluKeepsNaN) {
  using T = TypeParam;
  constexpr int64_t kSize = 136;
  Tensor a = RandomNormal<T>(Shape({kSize, kSize}), 1);
  const Tensor b = RandomNormal<T>(Shape({kSize, kSize}), 2);
  Tensor bias = RandomNormal<T>(Shape({kSize}), 3);
  a.data<T>()[5 * kSize] = static_cast<T>(NAN);
  bias.data<T>()[7] = static_cast<T>(NAN);
  const AttrMap attrs = {{"num_args", int64_t{1}},
                         {"fused_ops", std::vector<std::string>{"BiasAdd", "GeluApproximate"}}};
  const Tensor y = this->OnGpu("_FusedMatMul", attrs, {a, b, bias});
  for (int64_t i = 0; i < y.num_elements(); ++i) {
    ASSERT_EQ(std::isnan(static_cast<double>(y.data<T>()[i])), i / kSize == 5 || i % kSize == 7) << i;
  }
}

TEST_F(ProductTest, ABiasMustFit) {
  NodeRunner runner(kType);
  const Tensor x = RandomNormal<float>(Shape({2, 2}), 1);
  const auto outputs =
      runner.Run(NodeRunner::Way::kStaticShapes, "_MatMulBiasGelu", {}, {x, x, RandomNormal<float>(Shape({3}), 2)});
  EXPECT_EQ(outputs.status().code(), Code::kInvalidArgument) << outputs.status().ToString();
}

TEST_F(ProductTest, IsNotFollowedByAGradient) {
  NodeRunner runner(kType);
  const Tensor x = RandomNormal<float>(Shape({2, 2}), 1);
  const AttrMap attrs = {{"num_args", int64_t{1}}, {"fused_ops", std::vector<std::string>{"ReluGrad"}}};
  const auto outputs = runner.Run(NodeRunner::Way::kStaticShapes, "_FusedMatMul", attrs, {x, x, x});
  EXPECT_EQ(outputs.status().code(), Code::kUnimplemented) << outputs.status().ToString();
}

// Each of the three matrices has odd rows in one of the cases.
template <class T>
void ExpectNearTheHost(const Arithmetic& arithmetic, double tolerance) {
  constexpr int64_t kMany = 1024;
  struct Case {
    int64_t m, k, n;
    bool a, b;
  };
  for (const auto& [m, k, n, a, b] : {Case{kMany, kMany, 33, false, false},
                                      {kMany, 33, kMany, true, false},
                                      {33, kMany, kMany, true, true},
                                      {kMany, 1025, 16, false, true}}) {
    SCOPED_TRACE(StrCat(m, " ", k, " ", n, " ", a, b));
    AttrMap attrs = {{"transpose_a", a}, {"transpose_b", b}};
    const Tensor x = RandomNormal<T>(a ? Shape({k, m}) : Shape({m, k}), 1);
    const Tensor y = RandomNormal<T>(b ? Shape({n, k}) : Shape({k, n}), 2);
    const std::vector<Input> inputs = {x, y};
    NodeRunner host{std::string(HostDeviceType())};
    const auto expected = host.Run(NodeRunner::Way::kStaticShapes, "MatMul", attrs, inputs);
    ASSERT_TRUE(expected.ok()) << expected.status().ToString();
    arithmetic.SetOn(attrs);
    NodeRunner gpu(kType);
    const auto product = gpu.Run(NodeRunner::Way::kStaticShapes, "MatMul", attrs, inputs);
    ASSERT_TRUE(product.ok()) << product.status().ToString();
    ASSERT_EQ((*product)[0].shape(), (*expected)[0].shape());
    double largest = 0;
    for (int64_t i = 0; i < (*product)[0].num_elements(); ++i) {
      const auto made = static_cast<double>((*product)[0].data<T>()[i]);
      const auto wanted = static_cast<double>((*expected)[0].data<T>()[i]);
      ASSERT_FALSE(std::isnan(made));
      largest = std::max(largest, std::abs(made - wanted) / std::sqrt(static_cast<double>(k)));
    }
    EXPECT_LT(largest, tolerance);
  }
}

TEST_F(ProductTest, RowsOfBfloat16ArePadded) {
  ExpectNearTheHost<bfloat16>({}, 0x1p-5);
}
TEST_F(ProductTest, RowsInTf32ArePadded) {
  ExpectNearTheHost<float>({.tf32 = true}, 1e-5);
}

}  // namespace
}  // namespace dfrun::testing
