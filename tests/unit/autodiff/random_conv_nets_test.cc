// Random convolutional networks and their gradients have the same bits with passes as without, on any number of
// threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "src/autodiff/gradients.h"
#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/step_runner.h"

namespace dfrun::testing {
namespace {

using Ints = std::vector<int64_t>;

// Up to two layers of convolution, bias, Relu and max pooling, some left out.
class RandomConvNet {
 public:
  explicit RandomConvNet(uint32_t seed) : random_(seed) {
    const int64_t channels = OneOf({1, 3, 4});
    Output y = Feed("images", Shape({OneOf({3, 8, 17}), OneOf({28, 32, 32, 33}), OneOf({31, 32, 32}), channels}));
    int64_t depth = channels;
    const int64_t layers = OneOf({1, 2});
    for (int64_t i = 0; i < layers; ++i) y = AddLayer(StrCat("layer", i, "/"), y, depth);
    const Output all = maker_.Const("all", Tensor::Vector<int32_t>({0, 1, 2, 3}));
    loss_ = maker_.Add("loss", "Mean", {maker_.Add("square", "Square", {y}), all});
  }

  Status AddGradients() {
    DF_ASSIGN(const std::vector<GradientValue> gradients,
              dfrun::AddGradients(maker_.graph, {&loss_, 1}, std::span(feeds_).subspan(1)));
    fetches_ = {loss_};
    for (const GradientValue& gradient : gradients) fetches_.push_back(gradient.dense);
    return Status();
  }
  Result<std::vector<Tensor>> Run(bool optimize, int threads) const {
    StepRunner runner({.threads = threads, .optimize = optimize});
    DF_TRY(runner.Prepare(maker_.graph, fetches_, feeds_));
    return runner.Run(values_);
  }

 private:
  int64_t OneOf(std::initializer_list<int64_t> values) { return std::data(values)[random_() % values.size()]; }
  bool Mostly() { return random_() % 8 != 0; }
  // Chooses the padding for windows of `side` over images, which may be smaller.
  std::string PaddingFor(Output images, int64_t side) {
    const PartialShape& shape = maker_.graph.shape(images);
    const bool fits = std::min(shape.dim(1), shape.dim(2)) >= side;
    return fits && random_() % 2 == 0 ? "VALID" : "SAME";
  }

  Output Feed(const std::string& name, const Shape& shape) {
    std::uniform_real_distribution<float> uniform(-1, 1);
    Tensor value(DType::kFloat, shape);
    for (int64_t i = 0; i < shape.num_elements(); ++i) value.data<float>()[i] = uniform(random_);
    values_.push_back(std::move(value));
    feeds_.push_back(maker_.Placeholder(name, PartialShape(shape), DType::kFloat));
    return feeds_.back();
  }

  Output AddLayer(const std::string& scope, Output x, int64_t& depth) {
    const int64_t side = OneOf({1, 3, 5});
    const int64_t step = OneOf({1, 1, 2});
    const int64_t channels = OneOf({16, 32, 48, 64});
    Output y = maker_.Add(scope + "conv", "Conv2D", {x, Feed(scope + "W", Shape({side, side, depth, channels}))},
                          {{"strides", Ints{1, step, step, 1}}, {"padding", PaddingFor(x, side)}});
    depth = channels;
    if (Mostly()) y = maker_.Add(scope + "bias", "BiasAdd", {y, Feed(scope + "b", Shape({channels}))});
    if (Mostly()) y = maker_.Add(scope + "relu", "Relu", {y});
    if (!Mostly()) return y;
    const int64_t window = OneOf({2, 2, 3});
    const int64_t stride = OneOf({1, 2, 3});
    return maker_.Add(scope + "pool", "MaxPool", {y},
                      {{"ksize", Ints{1, window, window, 1}},
                       {"strides", Ints{1, stride, stride, 1}},
                       {"padding", PaddingFor(y, window)}});
  }

  std::mt19937 random_;
  GraphMaker maker_;
  std::vector<Output> feeds_;
  std::vector<Tensor> values_;
  std::vector<Output> fetches_;
  Output loss_;
};

TEST(RandomConvNets, PassesKeepEveryBit) {
  constexpr uint32_t kNets = 60;
  for (uint32_t seed = 0; seed < kNets; ++seed) {
    RandomConvNet net(seed);
    const Status status = net.AddGradients();
    ASSERT_TRUE(status.ok()) << seed << ": " << status.ToString();
    const Result<std::vector<Tensor>> expected = net.Run(/*optimize=*/false, /*threads=*/1);
    ASSERT_TRUE(expected.ok()) << seed << ": " << expected.status().ToString();
    for (int threads : {1, 2, 3}) {
      const Result<std::vector<Tensor>> actual = net.Run(/*optimize=*/true, threads);
      ASSERT_TRUE(actual.ok()) << seed << ": " << actual.status().ToString();
      for (size_t i = 0; i < expected->size(); ++i) {
        EXPECT_TRUE((*actual)[i].Identical((*expected)[i])) << seed << ", " << threads << " threads, value " << i;
      }
    }
  }
}

}  // namespace
}  // namespace dfrun::testing
