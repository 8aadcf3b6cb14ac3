// _ConvBiasReluMaxPoolGrad gives the bits of the three ops that it stands for.
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/testing/node_runner.h"

namespace dfrun {
namespace {

using testing::NodeRunner;
using Ints = std::vector<int64_t>;

// Many are equal, and half are zero as after a Relu.
Tensor Random(const Shape& shape, uint32_t seed) {
  std::mt19937 random(seed);
  Tensor tensor(DType::kFloat, shape);
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    tensor.data<float>()[i] = std::max(0.0F, static_cast<float>(static_cast<int>(random() % 2001) - 1000) * 0.37F);
  }
  return tensor;
}

struct Case {
  Shape x;
  Shape filter;
  int64_t stride;
  std::string padding;
  Ints pool;
  int64_t pool_stride;
  std::string pool_padding;
};

class ConvPoolGrad {
 public:
  explicit ConvPoolGrad(const Case& c)
      : case_(c),
        conv_{{"strides", Ints{1, c.stride, c.stride, 1}}, {"padding", c.padding}},
        pool_{{"ksize", c.pool}, {"strides", Ints{1, c.pool_stride, c.pool_stride, 1}}, {"padding", c.pool_padding}} {
    sizes_ = Tensor(DType::kInt32, Shape({4}));
    for (int i = 0; i < 4; ++i) sizes_.data<int32_t>()[i] = static_cast<int32_t>(c.filter[i]);
    x_ = Random(c.x, 1);
    y_ = Random(One("Conv2D", conv_, {x_, Random(c.filter, 2)}).shape(), 3);
    pooled_ = One("MaxPool", pool_, {y_});
    grad_ = Random(pooled_.shape(), 4);
  }

  Result<std::vector<Tensor>> Fused() { return Fused(grad_); }
  Result<std::vector<Tensor>> Fused(const Tensor& grad) {
    AttrMap attrs = conv_;
    for (const auto& [name, value] : pool_) attrs.Set("pool_" + name, value);
    return runner_.Run("_ConvBiasReluMaxPoolGrad", attrs, {x_, sizes_, y_, pooled_, grad});
  }
  void Check() {
    const Tensor dy = One("_MaxPoolReluGrad", pool_, {y_, pooled_, grad_});
    const Result<std::vector<Tensor>> fused = Fused();
    ASSERT_TRUE(fused.ok()) << fused.status().ToString();
    EXPECT_TRUE((*fused)[0].Identical(One("Conv2DBackpropFilter", conv_, {x_, sizes_, dy}))) << case_.x.ToString();
    EXPECT_TRUE((*fused)[1].Identical(One("BiasAddGrad", {}, {dy}))) << case_.x.ToString();
  }

 private:
  Tensor One(const std::string& op, const AttrMap& attrs, const std::vector<testing::Input>& inputs) {
    const Result<std::vector<Tensor>> outputs = runner_.Run(op, attrs, inputs);
    EXPECT_TRUE(outputs.ok()) << op << ": " << outputs.status().ToString();
    return outputs.ok() ? (*outputs)[0] : Tensor();
  }

  const Case case_;
  const AttrMap conv_;
  const AttrMap pool_;
  NodeRunner runner_;
  Tensor sizes_, x_, y_, pooled_, grad_;
};

const Ints kTwoByTwo = {1, 2, 2, 1};

TEST(ConvPoolGrad, GivesTheBitsOfThreeOps) {
  // The rows that a bias's sums are made of: whole images, parts of them, and some that reach over images.
  ConvPoolGrad({Shape({5, 32, 32, 3}), Shape({3, 3, 3, 64}), 1, "SAME", kTwoByTwo, 2, "SAME"}).Check();
  ConvPoolGrad({Shape({9, 16, 16, 2}), Shape({5, 5, 2, 128}), 1, "SAME", kTwoByTwo, 2, "VALID"}).Check();
  ConvPoolGrad({Shape({7, 28, 28, 1}), Shape({5, 5, 1, 6}), 1, "SAME", kTwoByTwo, 2, "SAME"}).Check();
  // Few rows.
  ConvPoolGrad({Shape({3, 4, 4, 3}), Shape({3, 3, 3, 5}), 1, "SAME", kTwoByTwo, 2, "SAME"}).Check();
  // Windows that overlap, and some that leave pixels out.
  ConvPoolGrad({Shape({4, 35, 35, 3}), Shape({5, 5, 3, 32}), 2, "VALID", {1, 3, 3, 1}, 2, "SAME"}).Check();
  ConvPoolGrad({Shape({4, 33, 31, 3}), Shape({3, 3, 3, 16}), 1, "VALID", kTwoByTwo, 3, "VALID"}).Check();
  // A filter whose gradient is made of products, and a convolution in groups.
  ConvPoolGrad({Shape({2, 8, 8, 256}), Shape({1, 1, 256, 512}), 1, "SAME", kTwoByTwo, 2, "SAME"}).Check();
  ConvPoolGrad({Shape({3, 16, 16, 6}), Shape({3, 3, 3, 128}), 1, "SAME", kTwoByTwo, 2, "SAME"}).Check();
}

TEST(ConvPoolGrad, OfNoImagesIsZero) {
  ConvPoolGrad({Shape({0, 16, 16, 2}), Shape({3, 3, 2, 128}), 1, "SAME", kTwoByTwo, 2, "SAME"}).Check();
}

TEST(ConvPoolGrad, RefusesTensorsThatDoNotFit) {
  ConvPoolGrad grad({Shape({2, 16, 16, 2}), Shape({3, 3, 2, 4}), 1, "SAME", kTwoByTwo, 2, "SAME"});
  const Status status = grad.Fused(Random(Shape({2, 8, 7, 4}), 1)).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_NE(status.message().find("[2,8,7,4]"), std::string::npos) << status.ToString();
}

}  // namespace
}  // namespace dfrun
