// Convolution against TensorFlow's results, as sums weighted by position of integers that every dtype holds exactly.
#include <gtest/gtest.h>

#include "kernels/nn/conv/conv.h"
#include "tests/unit/nn/images.h"
#include "tests/unit/testing/node_runner.h"
#include "tests/unit/testing/random_tensor.h"

namespace dfrun {
namespace {

using testing::Checksum;
using testing::Counting;
using testing::NodeRunner;
using testing::RandomNormal;
using testing::ToChannelsFirst;
using testing::ToChannelsLast;

constexpr double kNone = -1e30;  // TensorFlow has no such kernel

struct Case {
  int64_t n, h, w, ci, co, kh, kw, sh, sw, dh, dw;
  const char* padding;
  std::vector<int64_t> explicit_paddings;  // paddings of NHWC
  int64_t out[2];
  double output, input_gradient, filter_gradient;  // checksums from TensorFlow 2.21, float64
};
const Case kCases[] = {
    {2, 5, 5, 3, 4, 3, 3, 1, 1, 1, 1, "SAME", {}, {5, 5}, -378, -535, -64},
    {2, 5, 5, 3, 4, 3, 3, 1, 1, 1, 1, "VALID", {}, {3, 3}, -316, -124, -217},
    {1, 8, 8, 1, 16, 3, 3, 1, 1, 1, 1, "SAME", {}, {8, 8}, 1419, 95, -17},
    {3, 7, 6, 2, 5, 3, 2, 2, 2, 1, 1, "SAME", {}, {4, 3}, -1936, 1658, -336},
    {2, 8, 8, 2, 3, 3, 3, 2, 3, 1, 1, "VALID", {}, {3, 2}, -417, -274, -153},
    {1, 9, 9, 2, 3, 3, 3, 1, 1, 2, 2, "SAME", {}, {9, 9}, -748, kNone, kNone},
    {1, 9, 9, 2, 3, 3, 3, 1, 1, 2, 2, "VALID", {}, {5, 5}, 641, kNone, kNone},
    {2, 6, 6, 4, 4, 1, 1, 1, 1, 1, 1, "SAME", {}, {6, 6}, 139, 204, 58},
    {2, 7, 7, 4, 4, 1, 1, 3, 3, 1, 1, "SAME", {}, {3, 3}, 220, -105, -428},
    {2, 5, 6, 3, 2, 3, 3, 1, 2, 1, 1, "EXPLICIT", {0, 0, 1, 2, 2, 0, 0, 0}, {6, 3}, -1433, -163, 560},
    {1, 4, 4, 2, 2, 4, 4, 1, 1, 1, 1, "VALID", {}, {1, 1}, -72, -84, -39},
    {1, 3, 3, 1, 1, 5, 5, 1, 1, 1, 1, "SAME", {}, {3, 3}, 210, -11, 192},
    {37, 8, 8, 3, 16, 3, 3, 1, 1, 1, 1, "SAME", {}, {8, 8}, 1440, 3241, -1108},
};

// The attrs of a case, and its tensors in a format.
template <class T>
struct Tensors {
  Tensors(const Case& c, bool channels_first) : first(channels_first) {
    std::vector<int64_t> strides = {1, c.sh, c.sw, 1};
    std::vector<int64_t> dilations = {1, c.dh, c.dw, 1};
    std::vector<int64_t> paddings = c.explicit_paddings;
    if (first) {
      strides = {1, 1, c.sh, c.sw};
      dilations = {1, 1, c.dh, c.dw};
      if (!paddings.empty()) paddings = {0, 0, 0, 0, paddings[2], paddings[3], paddings[4], paddings[5]};
    }
    attrs = {{"strides", strides},
             {"dilations", dilations},
             {"padding", c.padding},
             {"explicit_paddings", paddings},
             {"data_format", first ? "NCHW" : "NHWC"}};
    x = InFormat(Counting<T>(Shape({c.n, c.h, c.w, c.ci}), 7, 11));
    filter = Counting<T>(Shape({c.kh, c.kw, c.ci, c.co}), 5, 7);
    dy = InFormat(Counting<T>(Shape({c.n, c.out[0], c.out[1], c.co}), 3, 5));
  }
  Tensor InFormat(const Tensor& t) const { return first ? ToChannelsFirst<T>(t) : t; }
  double Sum(const Tensor& t) const { return Checksum<T>(first ? ToChannelsLast<T>(t) : t); }

  bool first;
  AttrMap attrs;
  Tensor x, filter, dy;
};

Tensor Sizes(const Tensor& t) {
  std::vector<int32_t> sizes;
  for (int64_t size : t.shape().dims()) sizes.push_back(static_cast<int32_t>(size));
  return Tensor::Vector<int32_t>(sizes);
}

// <a, b>, exact for these integers.
template <class T>
double Dot(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    sum += static_cast<double>(a.data<T>()[i]) * static_cast<double>(b.data<T>()[i]);
  }
  return sum;
}

template <class T>
class Conv2D : public ::testing::Test {
 protected:
  Tensor Run(const char* op, const AttrMap& attrs, const std::vector<testing::Input>& inputs) {
    auto out = runner_.Run(op, attrs, inputs);
    EXPECT_TRUE(out.ok()) << out.status().ToString();
    return out.ok() ? (*out)[0] : Tensor();
  }
  NodeRunner runner_;
};
using ExactTypes = ::testing::Types<float, double, int32_t>;
TYPED_TEST_SUITE(Conv2D, ExactTypes);

TYPED_TEST(Conv2D, ForwardAndGradientsAsTensorFlow) {
  for (const Case& c : kCases) {
    for (bool first : {false, true}) {
      SCOPED_TRACE("case " + std::to_string(&c - kCases) + (first ? " NCHW" : " NHWC"));
      const Tensors<TypeParam> t(c, first);
      const Tensor y = this->Run("Conv2D", t.attrs, {t.x, t.filter});
      ASSERT_TRUE(y.initialized());
      ASSERT_EQ(y.shape(), t.dy.shape());
      EXPECT_EQ(t.Sum(y), c.output);
      const Tensor dx = this->Run("Conv2DBackpropInput", t.attrs, {Sizes(t.x), t.filter, t.dy});
      ASSERT_TRUE(dx.initialized());
      EXPECT_TRUE(c.input_gradient == kNone || c.input_gradient == t.Sum(dx)) << t.Sum(dx);
      // The products are each other's adjoints.
      EXPECT_EQ(Dot<TypeParam>(y, t.dy), Dot<TypeParam>(t.x, dx));
      if constexpr (!std::is_same_v<TypeParam, int32_t>) {
        const Tensor df = this->Run("Conv2DBackpropFilter", t.attrs, {t.x, Sizes(t.filter), t.dy});
        ASSERT_TRUE(df.initialized());
        EXPECT_TRUE(c.filter_gradient == kNone || c.filter_gradient == Checksum<TypeParam>(df))
            << Checksum<TypeParam>(df);
        EXPECT_EQ(Dot<TypeParam>(y, t.dy), Dot<TypeParam>(t.filter, df));
      }
    }
  }
}

// Sums run in float and are rounded once.
template <class T>
class Conv2DHalf : public ::testing::Test {};
using HalfTypes = ::testing::Types<bfloat16, float16>;
TYPED_TEST_SUITE(Conv2DHalf, HalfTypes);

TYPED_TEST(Conv2DHalf, IsTheRoundedFloat) {
  NodeRunner runner;
  for (const Case& c : kCases) {
    SCOPED_TRACE("case " + std::to_string(&c - kCases));
    const Tensors<float> wide(c, false);
    const Tensors<TypeParam> t(c, false);
    const auto compare = [&](const char* op, const std::vector<testing::Input>& wide_inputs,
                             const std::vector<testing::Input>& inputs) {
      auto expected = runner.Run(op, wide.attrs, wide_inputs);
      auto actual = runner.Run(op, t.attrs, inputs);
      ASSERT_TRUE(expected.ok() && actual.ok()) << actual.status().ToString();
      for (int64_t i = 0; i < (*expected)[0].num_elements(); ++i) {
        ASSERT_EQ(static_cast<float>((*actual)[0].template data<TypeParam>()[i]),
                  static_cast<float>(TypeParam((*expected)[0].template data<float>()[i])));
      }
    };
    compare("Conv2D", {wide.x, wide.filter}, {t.x, t.filter});
    compare("Conv2DBackpropInput", {Sizes(t.x), wide.filter, wide.dy}, {Sizes(t.x), t.filter, t.dy});
    compare("Conv2DBackpropFilter", {wide.x, Sizes(t.filter), wide.dy}, {t.x, Sizes(t.filter), t.dy});
  }
}

// Large images are computed by bands of rows in float and not in double: the integers are exact in both.
TEST(Conv2DBands, AreThoseOfTheWholeImage) {
  NodeRunner runner;
  for (const char* padding : {"SAME", "VALID"}) {
    for (int64_t stride : {1, 2}) {
      const AttrMap attrs = {{"strides", std::vector<int64_t>{1, stride, stride, 1}}, {"padding", padding}};
      const auto convolve = [&]<class T>(T) {
        const Tensor x = Counting<T>(Shape({stride == 1 ? 2 : 1, 64 * stride + 2, 64 * stride + 2, 64}), 7, 11);
        return (*runner.Run("Conv2D", attrs, {x, Counting<T>(Shape({3, 3, 64, 80}), 5, 7)}))[0];
      };
      const Tensor expected = convolve(double());
      const Tensor actual = convolve(float());
      ASSERT_EQ(actual.shape(), expected.shape());
      for (int64_t i = 0; i < expected.num_elements(); ++i) {
        ASSERT_EQ(static_cast<double>(actual.data<float>()[i]), expected.data<double>()[i]) << padding << stride << i;
      }
    }
  }
}

void ExpectSameBitsOnThreads(ConvKind kind, const ConvShape& shape, const Tensor& filter) {
  const bool forward = kind == ConvKind::kForward;
  const Tensor from = RandomNormal<float>(forward ? shape.input() : shape.output(), 2);
  const auto conv = *Conv<float>::Create(kind, shape);
  Tensor expected;
  for (int threads : {1, 2, 3, 8}) {
    testing::SpreadPool pool(threads);
    Tensor result(DType::kFloat, forward ? shape.output() : shape.input());
    ASSERT_TRUE(
        conv->Run(from.data<float>(), filter.data<float>(), result.data<float>(), pool, SystemAllocator()).ok());
    if (threads == 1) expected = result;
    EXPECT_TRUE(result.Identical(expected)) << shape.input() << " to " << shape.output() << ", " << threads;
  }
}

// With few threads a large filter is read for fewer and larger blocks of images. A larger filter is multiplied one tap
// at a time, in tiles of images and channels that depend on the number of threads.
TEST(Conv2DBlocks, GiveTheSameBitsOnAnyNumberOfThreads) {
  for (const Shape& filter_shape : {Shape({3, 3, 64, 256}), Shape({3, 3, 192, 320})}) {
    const Tensor filter = RandomNormal<float>(filter_shape, 1);
    for (int64_t images : {1, 7, 16}) {
      for (int64_t stride : {1, 2}) {
        const AttrMap attrs = {{"strides", std::vector<int64_t>{1, stride, stride, 1}}, {"padding", "SAME"}};
        const ConvShape shape =
            *ConvShape::Of(*WindowAttrs::Read(attrs), Shape({images, 6, 5, filter_shape[2]}), filter_shape);
        ExpectSameBitsOnThreads(ConvKind::kForward, shape, filter);
        ExpectSameBitsOnThreads(ConvKind::kBackpropInput, shape, filter);
      }
    }
  }
}

TEST(Conv2DEmpty, GivesZerosOrNothing) {
  NodeRunner runner;
  const AttrMap attrs = {{"strides", std::vector<int64_t>{1, 1, 1, 1}}, {"padding", "SAME"}};
  const Tensor none(DType::kFloat, Shape({0, 4, 4, 2}));
  const Tensor filter = Counting<float>(Shape({3, 3, 2, 3}), 5, 7);
  auto y = runner.Run("Conv2D", attrs, {none, filter});
  ASSERT_TRUE(y.ok()) << y.status().ToString();
  EXPECT_EQ((*y)[0].shape(), Shape({0, 4, 4, 3}));
  auto df = runner.Run("Conv2DBackpropFilter", attrs, {none, Sizes(filter), (*y)[0]});
  ASSERT_TRUE(df.ok()) << df.status().ToString();
  for (float value : (*df)[0].values<float>()) EXPECT_EQ(value, 0);
}

// The taps are so far apart that only the middle one meets the image.
TEST(Conv2DHuge, DilationsBeyondInt32) {
  NodeRunner runner;
  const int64_t far = int64_t{1} << 31;
  const Tensor middle = Counting<float>(Shape({1, 1, 2, 3}), 5, 7);
  Tensor filter = Counting<float>(Shape({3, 3, 2, 3}), 3, 5);
  std::copy_n(middle.data<float>(), 6, filter.data<float>() + 4 * 6);
  AttrMap attrs = {{"strides", std::vector<int64_t>{1, 1, 1, 1}}, {"padding", "SAME"}};
  const Tensor x = Counting<float>(Shape({2, 4, 5, 2}), 7, 11);
  auto expected = runner.Run("Conv2D", attrs, {x, middle});
  attrs.Set("dilations", std::vector<int64_t>{1, far, far, 1});
  auto actual = runner.Run("Conv2D", attrs, {x, filter});
  ASSERT_TRUE(expected.ok() && actual.ok()) << actual.status().ToString();
  EXPECT_TRUE((*actual)[0].Identical((*expected)[0])) << (*actual)[0].ToString();
}

class Conv2DErrors : public ::testing::Test {
 protected:
  void ExpectRefused(const AttrMap& attrs, const Tensor& x, const Tensor& filter) {
    auto y = runner_.Run("Conv2D", attrs, {x, filter});
    ASSERT_FALSE(y.ok());
    EXPECT_TRUE(y.status().code() == Code::kInvalidArgument || y.status().code() == Code::kUnimplemented)
        << y.status().ToString();
  }
  const Tensor x_ = Counting<float>(Shape({1, 4, 4, 2}), 7, 11);
  const Tensor filter_ = Counting<float>(Shape({3, 3, 2, 3}), 5, 7);
  NodeRunner runner_;
};

TEST_F(Conv2DErrors, Attrs) {
  using List = std::vector<int64_t>;
  for (const List& strides : {List{1, 1}, List{1, 0, 1, 1}, List{1, -1, 1, 1}, List{2, 1, 1, 1}, List{1, 1, 1, 2},
                              List{1, INT64_MAX, 1, 1}, List{}}) {
    ExpectRefused({{"strides", strides}, {"padding", "SAME"}}, x_, filter_);
  }
  const List ones = {1, 1, 1, 1};
  for (const List& dilations : {List{1, 0, 1, 1}, List{1, 1, 1, 2}, List{1, 3, 3, 1}, List{1, INT64_MAX, 1, 1}}) {
    ExpectRefused({{"strides", ones}, {"padding", "VALID"}, {"dilations", dilations}}, x_, filter_);
  }
  for (const List& pads : {List{}, List{0, 0, 1, 1}, List{0, 0, -1, 0, 0, 0, 0, 0}, List{1, 0, 0, 0, 0, 0, 0, 0},
                           List{0, 0, INT64_MAX, INT64_MAX, 0, 0, 0, 0}}) {
    ExpectRefused({{"strides", ones}, {"padding", "EXPLICIT"}, {"explicit_paddings", pads}}, x_, filter_);
  }
}

TEST_F(Conv2DErrors, Shapes) {
  const AttrMap valid = {{"strides", std::vector<int64_t>{1, 1, 1, 1}}, {"padding", "VALID"}};
  for (const Shape& shape : {Shape({3, 3, 3, 3}), Shape({5, 3, 2, 3}), Shape({3, 3, 2}), Shape({0, 3, 2, 3}),
                             Shape({3, 3, 0, 3}), Shape({3, 3, 1, 3})}) {
    ExpectRefused(valid, x_, Counting<float>(shape, 5, 7));
  }
  ExpectRefused(valid, Counting<float>(Shape({4, 4, 2}), 7, 11), filter_);
}

TEST_F(Conv2DErrors, GradientSizes) {
  const AttrMap attrs = {{"strides", std::vector<int64_t>{1, 1, 1, 1}}, {"padding", "SAME"}};
  const Tensor dy = Counting<float>(Shape({1, 4, 4, 3}), 3, 5);
  for (const Tensor& sizes : {Tensor::Vector<int32_t>({1, 5, 4, 2}), Tensor::Vector<int32_t>({1, -4, 4, 2}),
                              Tensor::Vector<int32_t>({1, 4, 4}), Tensor::Scalar<int32_t>(4),
                              Tensor::Vector<int32_t>({INT32_MAX, INT32_MAX, INT32_MAX, 2})}) {
    for (NodeRunner::Way way : {NodeRunner::Way::kUnknownShapes, NodeRunner::Way::kStaticShapes}) {
      auto dx = runner_.Run(way, "Conv2DBackpropInput", attrs, {sizes, filter_, dy});
      ASSERT_FALSE(dx.ok()) << sizes.ToString();
      EXPECT_EQ(dx.status().code(), Code::kInvalidArgument) << dx.status().ToString();
    }
  }
}

}  // namespace
}  // namespace dfrun
