#include <gtest/gtest.h>

#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/run_pass.h"

namespace dfrun {
namespace {

using Names = std::vector<std::string>;
using Ints = std::vector<int64_t>;

// A convolution with pooling, and the two gradients that may read its result.
class MaxPoolArgmaxTest : public ::testing::Test {
 protected:
  void Conv(const PartialShape& of_x = PartialShape({2, 8, 8, 3}), AttrMap more = {}) {
    x = g.Add("x", "Placeholder", {}, {{"dtype", DType::kFloat}, {"shape", of_x}});
    const Output filter = g.Placeholder("W", {3, 3, 3, 4}, DType::kFloat);
    const Output bias = g.Placeholder("b", {4}, DType::kFloat);
    AttrMap attrs{{"num_args", int64_t{1}}, {"strides", Ints{1, 1, 1, 1}},
                  {"padding", "SAME"},      {"fused_ops", std::vector<std::string>{"BiasAdd", "Relu"}},
                  {"pool_ksize", kTwo},     {"pool_strides", kTwo},
                  {"pool_padding", "SAME"}};
    for (const auto& [name, value] : more) attrs.Set(name, value);
    conv = g.Add("conv", "_FusedConv2DMaxPool", {x, filter, bias}, attrs);
    g.Add("use", "Neg", {pooled()});
  }
  Output pooled() const { return {conv.node, 1}; }
  Output grad() { return g.Add(g.graph.UniqueName("grad"), "Neg", {pooled()}); }
  Output PoolGrad(Ints windows = kTwo, const std::string& padding = "VALID") {
    return g.Add("dy", "_MaxPoolReluGrad", {conv, pooled(), grad()},
                 {{"ksize", windows}, {"strides", windows}, {"padding", padding}});
  }
  void Keep() {
    const Status status = testing::RunPass("cpu/max_pool_argmax", g.graph);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  std::string OpOf(const std::string& name) const { return g.Find(name) == nullptr ? "none" : g.Find(name)->op->name; }
  void ExpectKept(bool kept) {
    Keep();
    EXPECT_EQ(OpOf("conv"), kept ? "_FusedConv2DMaxPoolWithArgmax" : "_FusedConv2DMaxPool");
    if (g.Find("dy") == nullptr) return;
    EXPECT_EQ(OpOf("dy"), kept ? "_MaxPoolGradByArgmax" : "_MaxPoolReluGrad");
  }

  static inline const Ints kTwo = {1, 2, 2, 1};
  testing::GraphMaker g;
  Output x;
  Output conv;
};

TEST_F(MaxPoolArgmaxTest, GradientsReadArgmax) {
  Conv();
  const Output dy = PoolGrad();
  g.Add("reads", "Neg", {dy});
  ExpectKept(true);
  EXPECT_EQ(g.Find("conv")->output_shapes[0].ToString(), "[2,4,4,4]");
  EXPECT_EQ(g.Find("conv")->output_types[0].dtype, DType::kUint8);
  EXPECT_EQ(g.InputsOf("dy"), (Names{"conv", "grad"}));
  EXPECT_EQ(g.Find("dy")->output_shapes[0].ToString(), "[2,8,8,4]");
  EXPECT_EQ(g.Find("use")->inputs[0], (Output{g.Find("conv")->id, 1}));
}

TEST_F(MaxPoolArgmaxTest, TheNumberOfImagesNeedNotBeKnown) {
  Conv(PartialShape({-1, 8, 8, 3}));
  PoolGrad();
  ExpectKept(true);
}

TEST_F(MaxPoolArgmaxTest, WithoutAGradientImagesStay) {
  Conv();
  ExpectKept(false);
}

TEST_F(MaxPoolArgmaxTest, AnotherReaderWantsImages) {
  Conv();
  PoolGrad();
  g.Add("other", "Neg", {conv});
  ExpectKept(false);
}

TEST_F(MaxPoolArgmaxTest, AGradientOfOtherWindowsWantsImages) {
  Conv();
  PoolGrad({1, 4, 4, 1});
  ExpectKept(false);
}

TEST_F(MaxPoolArgmaxTest, OneOfAnotherPoolingWantsImages) {
  Conv();
  const Output dy = PoolGrad();
  g.node(dy).inputs[1] = g.Placeholder("other", {2, 4, 4, 4}, DType::kFloat);
  ExpectKept(false);
}

TEST_F(MaxPoolArgmaxTest, WindowsThatDoNotTileStay) {
  Conv(PartialShape({2, 9, 8, 3}));
  PoolGrad(kTwo, "SAME");
  ExpectKept(false);
}

TEST_F(MaxPoolArgmaxTest, SizesThatAreNotKnownStay) {
  Conv(PartialShape({2, -1, 8, 3}));
  PoolGrad();
  ExpectKept(false);
}

TEST_F(MaxPoolArgmaxTest, WindowsOfManyPixelsStay) {
  const Ints many = {1, 16, 16, 1};
  Conv(PartialShape({2, 16, 16, 3}), {{"pool_ksize", many}, {"pool_strides", many}});
  PoolGrad(many);
  ExpectKept(false);
}

}  // namespace
}  // namespace dfrun
