// _FusedConv2DMaxPool gives the bits of _FusedConv2D and MaxPool.
#include <gtest/gtest.h>

#include "tests/unit/testing/node_runner.h"
#include "tests/unit/testing/random_tensor.h"

namespace dfrun {
namespace {

using testing::NodeRunner;
using testing::RandomUniform;
using Ints = std::vector<int64_t>;

class FusedConvPool : public ::testing::Test {
 protected:
  // Sets windows that are `size` wide.
  void Pool(int64_t size, int64_t stride, const std::string& padding) {
    pool_ = {{"ksize", Ints{1, size, size, 1}}, {"strides", Ints{1, stride, stride, 1}}, {"padding", padding}};
  }
  Result<std::vector<Tensor>> Fused(const Tensor& x, const Tensor& filter, const Tensor& bias) {
    AttrMap attrs = conv_;
    for (const auto& [name, value] : pool_) attrs.Set("pool_" + name, value);
    return runner_.Run("_FusedConv2DMaxPool", attrs, {x, filter, bias});
  }
  void Check(const Shape& images, const Shape& of_filter) {
    const Tensor x = RandomUniform<float>(images, 1, 1);
    const Tensor filter = RandomUniform<float>(of_filter, 2, 1);
    const Tensor bias = RandomUniform<float>(Shape({of_filter[3]}), 3, 1);
    const Result<std::vector<Tensor>> y = runner_.Run("_FusedConv2D", conv_, {x, filter, bias});
    ASSERT_TRUE(y.ok()) << y.status().ToString();
    const Result<std::vector<Tensor>> pooled = runner_.Run("MaxPool", pool_, {(*y)[0]});
    ASSERT_TRUE(pooled.ok()) << pooled.status().ToString();
    const Result<std::vector<Tensor>> fused = Fused(x, filter, bias);
    ASSERT_TRUE(fused.ok()) << fused.status().ToString();
    EXPECT_TRUE((*fused)[0].Identical((*y)[0])) << images.ToString();
    EXPECT_TRUE((*fused)[1].Identical((*pooled)[0])) << images.ToString();
  }

  AttrMap conv_{{"strides", Ints{1, 1, 1, 1}},
                {"padding", "SAME"},
                {"num_args", int64_t{1}},
                {"fused_ops", std::vector<std::string>{"BiasAdd", "Relu"}}};
  AttrMap pool_;
  NodeRunner runner_;
};

TEST_F(FusedConvPool, GivesTheBitsOfBoth) {
  Pool(2, 2, "SAME");
  Check(Shape({6, 16, 16, 3}), Shape({3, 3, 3, 64}));  // few channels
  Check(Shape({6, 12, 12, 32}), Shape({3, 3, 32, 48}));
  Check(Shape({2, 56, 56, 64}), Shape({3, 3, 64, 64}));  // images in bands
  Check(Shape({3, 9, 7, 6}), Shape({3, 3, 3, 10}));      // groups
  Pool(3, 2, "VALID");
  Check(Shape({5, 15, 15, 4}), Shape({5, 5, 4, 17}));
}

TEST_F(FusedConvPool, OfNoImagesOrNoPixelsIsEmpty) {
  Pool(2, 2, "SAME");
  Check(Shape({0, 8, 8, 3}), Shape({3, 3, 3, 4}));
  Check(Shape({2, 0, 8, 3}), Shape({3, 3, 3, 4}));
}

TEST_F(FusedConvPool, RefusesWindowsThatDoNotFit) {
  Pool(9, 2, "VALID");
  const Status status = Fused(RandomUniform<float>(Shape({1, 8, 8, 3}), 1, 1),
                              RandomUniform<float>(Shape({3, 3, 3, 4}), 2, 1), RandomUniform<float>(Shape({4}), 3, 1))
                            .status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument) << status.ToString();
}

TEST_F(FusedConvPool, RefusesABiasOfAnotherSize) {
  Pool(2, 2, "VALID");
  const Status status = Fused(RandomUniform<float>(Shape({1, 8, 8, 3}), 1, 1),
                              RandomUniform<float>(Shape({3, 3, 3, 4}), 2, 1), RandomUniform<float>(Shape({5}), 3, 1))
                            .status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument) << status.ToString();
}

}  // namespace
}  // namespace dfrun
