#include "src/costs/op_family.h"

#include <gtest/gtest.h>

#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

class OpFamilyTest : public ::testing::Test {
 protected:
  Output Floats(const PartialShape& shape) { return maker_.Placeholder(Name(), shape, DType::kFloat); }
  Output Ints(std::initializer_list<int32_t> values) { return maker_.Const(Name(), Tensor::Vector<int32_t>(values)); }
  Output Int(int32_t value) { return maker_.Const(Name(), Tensor::Scalar(value)); }
  std::string Of(const std::string& op, const std::vector<Output>& inputs, const AttrMap& attrs = {}) {
    const Output made = maker_.Add(Name(), op, inputs, attrs);
    return std::string(FamilyName(FamilyOf(maker_.graph, maker_.graph.node(made.node))));
  }

  testing::GraphMaker maker_;

 private:
  std::string Name() { return "n" + std::to_string(next_++); }
  int next_ = 0;
};

TEST_F(OpFamilyTest, OfNodesOfModels) {
  const Output x = Floats({32, 64});
  const Output images = Floats({4, 8, 8, 3});
  const AttrMap window = {{"strides", std::vector<int64_t>{1, 1, 1, 1}}, {"padding", "SAME"}};
  AttrMap pool = window;
  pool.Set("ksize", std::vector<int64_t>{1, 2, 2, 1});
  EXPECT_EQ(Of("MatMul", {x, Floats({64, 10})}), "product");
  EXPECT_EQ(Of("BatchMatMulV2", {Floats({2, 8, 8}), Floats({2, 8, 8})}), "product");
  EXPECT_EQ(Of("Conv2D", {images, Floats({3, 3, 3, 8})}, window), "convolution");
  EXPECT_EQ(Of("MaxPool", {images}, pool), "pooling");
  EXPECT_EQ(Of("Relu", {x}), "elementwise");
  EXPECT_EQ(Of("BiasAdd", {x, Floats({64})}), "elementwise");
  EXPECT_EQ(Of("Softmax", {x}), "elementwise");
  EXPECT_EQ(Of("Sum", {x, Ints({0})}), "reduction");
  EXPECT_EQ(Of("BiasAddGrad", {x}), "reduction");
  EXPECT_EQ(Of("GatherV2", {x, Ints({1, 2}), Int(0)}), "gather");
  EXPECT_EQ(Of("UnsortedSegmentSum", {Floats({2, 64}), Ints({1, 0}), Int(4)}), "gather");
  EXPECT_EQ(Of("Transpose", {x, Ints({1, 0})}), "movement");
  EXPECT_EQ(Of("RandomUniform", {Ints({8})}, {{"dtype", DType::kFloat}}), "random");
  EXPECT_EQ(Of("Identity", {x}), "passing");
  EXPECT_EQ(Of("Reshape", {x, Ints({-1})}), "passing");
  EXPECT_EQ(Of("MatrixInverse", {Floats({64, 64})}), "other");
}

TEST_F(OpFamilyTest, OfUnknownCostIsOther) {
  EXPECT_EQ(Of("Relu", {Floats({-1, 64})}), "other");
}

TEST_F(OpFamilyTest, UpdatesOfVariablesAreElementwise) {
  const Output variable = maker_.Add("v", "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({64})}});
  const Output rate = maker_.Const("rate", Tensor::Scalar(0.1F));
  EXPECT_EQ(Of("ApplyGradientDescent", {variable, rate, Floats({64})}), "elementwise");
}

TEST(OpFamilyNamesTest, ReadBack) {
  for (OpFamily family : kOpFamilies) EXPECT_EQ(FamilyOfName(FamilyName(family)), family);
  EXPECT_FALSE(FamilyOfName("products"));
}

}  // namespace
}  // namespace dfrun
