// Pooling by argmax gives the bits of pooling by images: _FusedConv2DMaxPoolWithArgmax and _MaxPoolGradByArgmax against
// _FusedConv2D, MaxPool and _MaxPoolReluGrad.
#include <gtest/gtest.h>

#include <limits>
#include "tests/unit/testing/node_runner.h"
#include "tests/unit/testing/random_tensor.h"

namespace dfrun {
namespace {

using testing::NodeRunner;
using testing::RandomHalves;
using Ints = std::vector<int64_t>;

// Replaces some elements by numbers that are not finite.
void Spoil(Tensor& tensor) {
  using Limits = std::numeric_limits<float>;
  const float values[] = {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), Limits::lowest()};
  for (int64_t i = 0; i < tensor.num_elements(); i += 7) tensor.data<float>()[i] = values[i / 7 % 4];
}

class PoolArgmax : public ::testing::Test {
 protected:
  PoolArgmax() { Windows(2, 2); }
  void Windows(int64_t height, int64_t width) {
    const Ints sizes = {1, height, width, 1};
    pool_ = {{"ksize", sizes}, {"strides", sizes}, {"padding", "SAME"}};
  }
  AttrMap Both() const {
    AttrMap attrs = conv_;
    for (const auto& [name, value] : pool_) attrs.Set("pool_" + name, value);
    return attrs;
  }
  std::vector<Tensor> Run(const std::string& op, const AttrMap& attrs, const std::vector<testing::Input>& inputs) {
    Result<std::vector<Tensor>> outputs = runner_.Run(op, attrs, inputs);
    EXPECT_TRUE(outputs.ok()) << op << ": " << outputs.status().ToString();
    return outputs.ok() ? *std::move(outputs) : std::vector<Tensor>(2);
  }
  // Checks the pooling and its gradient.
  void Check(const Tensor& x, const Shape& of_filter, bool spoilt = false) {
    const Tensor filter = RandomHalves<float>(of_filter, 2);
    Tensor bias = RandomHalves<float>(Shape({of_filter[3]}), 3);
    if (spoilt) Spoil(bias);
    const std::string what = x.shape().ToString() + " by " + of_filter.ToString();
    const Tensor y = Run("_FusedConv2D", conv_, {x, filter, bias})[0];
    const Tensor pooled = Run("MaxPool", pool_, {y})[0];
    const std::vector<Tensor> kept = Run("_FusedConv2DMaxPoolWithArgmax", Both(), {x, filter, bias});
    EXPECT_TRUE(kept[1].Identical(pooled)) << what;
    Tensor grad = RandomHalves<float>(pooled.shape(), 4);
    if (spoilt) Spoil(grad);
    const Tensor dy = Run("_MaxPoolReluGrad", pool_, {y, pooled, grad})[0];
    EXPECT_TRUE(Run("_MaxPoolGradByArgmax", {{"ksize", *pool_.Get<Ints>("ksize")}}, {kept[0], grad})[0].Identical(dy))
        << what;
  }

  AttrMap conv_{{"strides", Ints{1, 1, 1, 1}},
                {"padding", "SAME"},
                {"num_args", int64_t{1}},
                {"fused_ops", std::vector<std::string>{"BiasAdd", "Relu"}}};
  AttrMap pool_;
  NodeRunner runner_;
};

TEST_F(PoolArgmax, GivesTheBitsOfImages) {
  Check(RandomHalves<float>(Shape({6, 16, 16, 3}), 1), Shape({3, 3, 3, 64}));
  Check(RandomHalves<float>(Shape({5, 8, 8, 1}), 1), Shape({3, 3, 1, 16}));  // one channel
  Check(RandomHalves<float>(Shape({6, 12, 12, 32}), 1), Shape({3, 3, 32, 37}));
  Check(RandomHalves<float>(Shape({2, 56, 56, 64}), 1), Shape({3, 3, 64, 64}));  // images in bands
  Check(RandomHalves<float>(Shape({3, 10, 8, 6}), 1), Shape({3, 3, 3, 10}));     // groups
  Windows(3, 1);
  Check(RandomHalves<float>(Shape({4, 9, 7, 2}), 1), Shape({5, 5, 2, 17}));
  Windows(8, 16);
  Check(RandomHalves<float>(Shape({2, 16, 16, 2}), 1), Shape({1, 1, 2, 3}));
  Windows(1, 1);
  Check(RandomHalves<float>(Shape({2, 5, 3, 2}), 1), Shape({1, 1, 2, 3}));
}

TEST_F(PoolArgmax, OfNumbersThatAreNotFinite) {
  Tensor x = RandomHalves<float>(Shape({4, 8, 8, 3}), 1);
  Check(x, Shape({3, 3, 3, 40}), /*spoilt=*/true);
  Spoil(x);
  Check(x, Shape({1, 1, 3, 24}));
  conv_.Set("fused_ops", std::vector<std::string>{"BiasAdd"});  // all signs
  Check(x, Shape({1, 1, 3, 24}), /*spoilt=*/true);
}

TEST_F(PoolArgmax, OfNothingIsEmpty) {
  Check(RandomHalves<float>(Shape({0, 8, 8, 3}), 1), Shape({3, 3, 3, 4}));
  Check(RandomHalves<float>(Shape({2, 0, 8, 3}), 1), Shape({3, 3, 3, 4}));
}

TEST_F(PoolArgmax, OfPaddingAloneIsTheBias) {
  conv_.Set("padding", "EXPLICIT");
  conv_.Set("explicit_paddings", Ints{0, 0, 2, 2, 1, 1, 0, 0});
  const std::vector<testing::Input> inputs = {Tensor(DType::kFloat, Shape({2, 0, 8, 3})),
                                              RandomHalves<float>(Shape({3, 3, 3, 4}), 2),
                                              RandomHalves<float>(Shape({4}), 3)};
  const Tensor y = Run("_FusedConv2D", conv_, inputs)[0];
  ASSERT_EQ(y.shape(), Shape({2, 2, 8, 4}));
  const std::vector<Tensor> kept = Run("_FusedConv2DMaxPoolWithArgmax", Both(), inputs);
  EXPECT_TRUE(kept[1].Identical(Run("MaxPool", pool_, {y})[0]));
  for (int64_t i = 0; i < kept[0].num_elements(); ++i) EXPECT_EQ(kept[0].data<uint8_t>()[i] % 128, 0);
}

TEST_F(PoolArgmax, RefusesWindowsThatDoNotTile) {
  const auto refused = [&](const Shape& x) {
    return runner_
        .Run("_FusedConv2DMaxPoolWithArgmax", Both(),
             {RandomHalves<float>(x, 1), RandomHalves<float>(Shape({1, 1, 2, 3}), 2),
              RandomHalves<float>(Shape({3}), 3)})
        .status();
  };
  EXPECT_EQ(refused(Shape({1, 5, 4, 2})).code(), Code::kInvalidArgument);
  Windows(16, 9);
  EXPECT_EQ(refused(Shape({1, 16, 18, 2})).code(), Code::kInvalidArgument);
  Windows(2, 2);
  pool_.Set("strides", Ints{1, 1, 1, 1});
  const Status status = refused(Shape({1, 4, 4, 2}));
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_NE(status.message().find("[1,4,4,3]"), std::string::npos) << status.ToString();
}

TEST_F(PoolArgmax, RefusesGradientsThatDoNotFit) {
  const Tensor argmax(DType::kUint8, Shape({1, 2, 2, 3}));
  const auto refused = [&](const Ints& ksize, const Tensor& of, const Tensor& grad) {
    return runner_.Run("_MaxPoolGradByArgmax", {{"ksize", ksize}}, {of, grad}).status().code();
  };
  const Tensor grad = RandomHalves<float>(Shape({1, 2, 2, 3}), 1);
  EXPECT_EQ(refused({1, 2, 2, 1}, argmax, RandomHalves<float>(Shape({1, 2, 1, 3}), 1)), Code::kInvalidArgument);
  EXPECT_EQ(refused({1, 2, 2}, argmax, grad), Code::kInvalidArgument);
  EXPECT_EQ(refused({1, 0, 2, 1}, argmax, grad), Code::kInvalidArgument);
  EXPECT_EQ(refused({2, 2, 2, 1}, argmax, grad), Code::kInvalidArgument);
  EXPECT_EQ(refused({1, 64, 64, 1}, argmax, grad), Code::kInvalidArgument);
  constexpr int64_t kHuge = int64_t{1} << 61;
  EXPECT_EQ(refused({1, 64, 1, 1}, Tensor(DType::kUint8, Shape({0, kHuge, 1, 1})),
                    Tensor(DType::kFloat, Shape({0, kHuge, 1, 1}))),
            Code::kInvalidArgument);
}

// The argmax names no pixel of the window, which no kernel writes.
TEST_F(PoolArgmax, APlaceOutsideTheWindowGetsNothing) {
  Tensor argmax(DType::kUint8, Shape({1, 1, 1, 20}));
  std::fill_n(argmax.data<uint8_t>(), 20, uint8_t{100});
  const Tensor dx = Run("_MaxPoolGradByArgmax", {{"ksize", Ints{1, 2, 2, 1}}},
                        {argmax, RandomHalves<float>(Shape({1, 1, 1, 20}), 1)})[0];
  for (int64_t i = 0; i < dx.num_elements(); ++i) EXPECT_EQ(dx.data<float>()[i], 0);
}

}  // namespace
}  // namespace dfrun
