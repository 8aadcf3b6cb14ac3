// Grouped convolution, convolution by channel and in three dimensions, on shapes large enough for every algorithm:
// small integers, whose sums are exact, must give equal results in float (oneDNN) and double (unfolded windows), and
// the products are each other's adjoints.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/unit/nn/images.h"
#include "tests/unit/testing/node_runner.h"

namespace dfrun {
namespace {

using testing::Counting;
using testing::NodeRunner;

struct Case {
  const char* name;
  std::vector<const char*> ops;  // forward, by input, by filter
  Shape x;
  Shape filter;
  AttrMap attrs;
};

using List = std::vector<int64_t>;
const std::vector<const char*> kFlat = {"Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"};
const std::vector<const char*> kDepthwise = {"DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropInput",
                                             "DepthwiseConv2dNativeBackpropFilter"};
const std::vector<const char*> kDeep = {"Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2"};

std::vector<Case> Cases() {
  const AttrMap same = {{"strides", List{1, 1, 1, 1}}, {"padding", "SAME"}};
  const AttrMap strided = {{"strides", List{1, 2, 2, 1}}, {"padding", "VALID"}};
  const AttrMap first = {{"strides", List{1, 1, 2, 1}}, {"padding", "SAME"}, {"data_format", "NCHW"}};
  const AttrMap deep = {{"strides", List{1, 1, 2, 1, 1}}, {"padding", "SAME"}};
  const AttrMap deep_first = {{"strides", List{1, 1, 1, 1, 2}}, {"padding", "VALID"}, {"data_format", "NCDHW"}};
  AttrMap dilated = same;
  dilated.Set("dilations", List{1, 2, 3, 1});
  AttrMap apart = same;  // taps so far apart that only the middle row meets the image
  apart.Set("dilations", List{1, 7, 2, 1});
  AttrMap padded = {{"strides", List{1, 1, 2, 1}}, {"padding", "EXPLICIT"}};
  padded.Set("explicit_paddings", List{0, 0, 2, 0, 1, 3, 0, 0});
  return {
      {"OneChannel", kFlat, {5, 9, 31, 1}, {3, 3, 1, 16}, same},
      {"OneChannelStrided", kFlat, {3, 12, 11, 1}, {5, 4, 1, 33}, strided},
      {"OneChannelDilated", kFlat, {2, 12, 11, 1}, {3, 2, 1, 5}, dilated},
      {"OneChannelPadded", kFlat, {2, 6, 9, 1}, {4, 5, 1, 71}, padded},
      {"OneChannelBothWays", kFlat, {2, 1, 6, 9}, {4, 5, 1, 1}, first},
      {"ThreeChannelsDilated", kFlat, {2, 12, 11, 3}, {3, 3, 3, 20}, dilated},
      {"StridedTiles", kFlat, {3, 9, 8, 32}, {3, 2, 32, 48}, strided},
      {"LargeFilter", kFlat, {3, 24, 17, 1024}, {1, 2, 1024, 512}, same},
      {"LargeFilterStrided", kFlat, {5, 7, 6, 512}, {3, 3, 512, 256}, strided},
      {"LargeFilterOfOnePixel", kFlat, {3, 5, 4, 512}, {1, 1, 512, 1024}, same},
      {"OddPanels", kFlat, {3, 9, 8, 20}, {3, 3, 20, 71}, same},
      {"ManyPixelsOfOneTap", kFlat, {2, 48, 48, 64}, {1, 1, 64, 256}, same},
      {"ManyChannelsStrided", kFlat, {8, 17, 18, 256}, {3, 3, 256, 512}, strided},
      {"ManyChannelsDilated", kFlat, {3, 7, 8, 144}, {3, 3, 144, 128}, dilated},
      {"ManyChannelsPadded", kFlat, {2, 5, 6, 128}, {4, 5, 128, 256}, padded},
      {"ManyOddChannels", kFlat, {3, 5, 6, 131}, {3, 3, 131, 150}, same},
      {"ManyChannelsFewTaps", kFlat, {2, 6, 7, 272}, {1, 1, 272, 512}, strided},
      {"ManyImages", kFlat, {36, 6, 6, 384}, {3, 3, 384, 400}, same},
      {"ManyChannelsApart", kFlat, {11, 7, 7, 256}, {3, 3, 256, 512}, apart},
      {"FourGroups", kFlat, {3, 9, 8, 32}, {3, 3, 8, 16}, same},
      {"FourGroupsStrided", kFlat, {3, 9, 8, 32}, {3, 2, 8, 64}, strided},
      {"ThreeGroupsChannelsFirst", kFlat, {2, 12, 9, 8}, {3, 3, 4, 6}, first},
      {"DepthwiseOne", kDepthwise, {5, 12, 12, 48}, {3, 3, 48, 1}, same},
      {"DepthwiseOneStrided", kDepthwise, {5, 13, 12, 35}, {3, 3, 35, 1}, strided},
      {"DepthwiseThree", kDepthwise, {2, 9, 8, 20}, {3, 3, 20, 3}, same},
      {"DepthwiseChannelsFirst", kDepthwise, {2, 16, 9, 8}, {3, 3, 16, 2}, first},
      {"Deep", kDeep, {3, 5, 7, 6, 8}, {3, 3, 3, 8, 16}, deep},
      {"DeepManyChannels", kDeep, {2, 3, 4, 5, 128}, {3, 2, 3, 128, 128}, deep},
      {"DeepOneChannel", kDeep, {2, 6, 7, 6, 1}, {2, 3, 3, 1, 5}, deep},
      {"DeepChannelsFirst", kDeep, {2, 3, 5, 7, 6}, {3, 3, 3, 3, 4}, deep_first},
  };
}

class ConvKinds : public ::testing::TestWithParam<Case> {
 protected:
  template <class T>
  Tensor Run(const char* op, const std::vector<testing::Input>& inputs) {
    auto out = runner_.Run(op, GetParam().attrs, inputs);  // all variants of a plan, which must give equal bits
    EXPECT_TRUE(out.ok()) << out.status().ToString();
    return out.ok() ? (*out)[0] : Tensor(DTypeOf<T>, Shape({0}));
  }
  static Tensor Sizes(const Shape& shape) {
    return Tensor::Vector<int32_t>(std::vector<int32_t>(shape.dims().begin(), shape.dims().end()));
  }
  template <class T>
  struct Products {
    Tensor y, dx, df;
  };
  template <class T>
  Products<T> All() {
    const Case& c = GetParam();
    const Tensor x = Counting<T>(c.x, 7, 11);
    const Tensor filter = Counting<T>(c.filter, 5, 7);
    Products<T> all;
    all.y = Run<T>(c.ops[0], {x, filter});
    const Tensor dy = Counting<T>(all.y.shape(), 3, 5);
    all.dx = Run<T>(c.ops[1], {Sizes(c.x), filter, dy});
    all.df = Run<T>(c.ops[2], {x, Sizes(c.filter), dy});
    return all;
  }
  static void ExpectEqual(const Tensor& narrow, const Tensor& wide) {
    ASSERT_EQ(narrow.shape(), wide.shape());
    for (int64_t i = 0; i < wide.num_elements(); ++i) {
      ASSERT_EQ(static_cast<double>(narrow.data<float>()[i]), wide.data<double>()[i]) << i;
    }
  }
  static double Dot(const Tensor& a, const Tensor& b) {
    return std::inner_product(a.data<double>(), a.data<double>() + a.num_elements(), b.data<double>(), 0.0);
  }
  NodeRunner runner_;
};

TEST_P(ConvKinds, FloatAndDoubleAgree) {
  const Products<float> narrow = All<float>();
  const Products<double> wide = All<double>();
  ExpectEqual(narrow.y, wide.y);
  ExpectEqual(narrow.dx, wide.dx);
  ExpectEqual(narrow.df, wide.df);
}

TEST_P(ConvKinds, ProductsAreAdjoint) {
  const Products<double> all = All<double>();
  const double forward = Dot(all.y, Counting<double>(all.y.shape(), 3, 5));
  EXPECT_NE(forward, 0);
  EXPECT_EQ(forward, Dot(all.dx, Counting<double>(GetParam().x, 7, 11)));
  EXPECT_EQ(forward, Dot(all.df, Counting<double>(GetParam().filter, 5, 7)));
}

INSTANTIATE_TEST_SUITE_P(, ConvKinds, ::testing::ValuesIn(Cases()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace dfrun
