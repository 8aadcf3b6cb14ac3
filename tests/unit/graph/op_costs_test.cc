// The costs that ops state: every op states them, and some are compared with computation by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/testing/node_costs.h"

namespace dfrun {
namespace {

// A value for an attr that has no default.
AttrValue SomeValue(const AttrDef& attr) {
  const int64_t number = std::max<int64_t>(1, attr.minimum.value_or(1));
  if (attr.type == "int") return number;
  if (attr.type == "float") return 1.0;
  if (attr.type == "bool") return false;
  if (attr.type == "string") return attr.allowed_strings.empty() ? "abcde->abcde" : attr.allowed_strings[0];
  if (attr.type == "type") return attr.allowed_types.empty() ? DType::kFloat : attr.allowed_types[0];
  if (attr.type == "shape") return PartialShape({2, 3});
  if (attr.type == "tensor") return Tensor::Scalar<float>(1);
  if (attr.type == "list(int)") return std::vector<int64_t>(5, 1);
  if (attr.type == "list(shape)") return std::vector<PartialShape>(static_cast<size_t>(number), PartialShape({2, 3}));
  if (attr.type == "list(string)") return std::vector<std::string>(static_cast<size_t>(number), "Relu");
  if (attr.type == "list(type)") {
    const DType dtype = attr.allowed_types.empty() ? DType::kFloat : attr.allowed_types[0];
    return std::vector<DType>(static_cast<size_t>(number), dtype);
  }
  return {};
}

std::vector<TypedShape> OfOneShape(const std::vector<ArgDef>& args, const AttrMap& attrs, const PartialShape& shape) {
  const Result<std::vector<TypedArg>> types = ExpandArgs(args, attrs);
  EXPECT_TRUE(types.ok()) << types.status().message();
  std::vector<TypedShape> values;
  if (!types.ok()) return values;
  for (const TypedArg& arg : *types) values.push_back({arg.dtype, shape});
  return values;
}

TEST(OpCostsTest, EveryOpHasOneWhereShapesAreKnown) {
  const PartialShape shape({2, 3, 4, 5, 6});
  for (const OpDef* op : OpRegistry::Builtin().List()) {
    SCOPED_TRACE(op->name);
    AttrMap attrs;
    for (const AttrDef& attr : op->attrs) {
      attrs.Set(attr.name, attr.default_value.empty() ? SomeValue(attr) : attr.default_value);
    }
    const std::vector<TypedShape> inputs = OfOneShape(op->inputs, attrs, shape);
    const std::vector<TypedShape> outputs = OfOneShape(op->outputs, attrs, shape);
    const std::optional<OpCost> cost = KnownCost(op->traits.cost, CostContext(attrs, inputs, outputs));
    ASSERT_TRUE(cost.has_value());
    for (double figure : {cost->flops, cost->bytes_read, cost->bytes_written}) {
      EXPECT_TRUE(std::isfinite(figure) && figure >= 0) << figure;
    }
  }
}

class NodeCostTest : public ::testing::Test, public testing::NodeCosts {};

const AttrMap kSame = {{"strides", std::vector<int64_t>{1, 1, 1, 1}}, {"padding", "SAME"}};

TEST_F(NodeCostTest, MatrixProducts) {
  // 2 m k n.
  EXPECT_EQ(Of("MatMul", {Floats({3, 4}), Floats({4, 5})}), (OpCost{120, 128, 60}));
  EXPECT_EQ(FlopsOf("MatMul", {Floats({4, 3}), Floats({4, 5})}, {{"transpose_a", true}}), 120);
  EXPECT_EQ(FlopsOf("BatchMatMulV2", {Floats({2, 3, 4}), Floats({4, 5})}), 240);
  EXPECT_EQ(FlopsOf("BatchMatMulV2", {Floats({2, 4, 3}), Floats({2, 4, 5})}, {{"adj_x", true}}), 240);
}

TEST_F(NodeCostTest, ProductsByEquation) {
  const AttrMap batch = {{"equation", "bij,bjk->bik"}};
  EXPECT_EQ(FlopsOf("Einsum", {Floats({2, 3, 4}), Floats({2, 4, 5})}, batch), 2 * 2 * 3 * 4 * 5);
  EXPECT_EQ(FlopsOf("Einsum", {Floats({3, 4})}, {{"equation", "ij->i"}}), 12);
}

TEST_F(NodeCostTest, Convolutions) {
  const Output images = Floats({2, 8, 8, 3});
  const Output filter = Floats({3, 3, 3, 16});
  const Output dy = Floats({2, 8, 8, 16});
  // 2 N Ho Wo Kh Kw Ci Co, and the same of both gradients.
  const double flops = 2.0 * 2 * 8 * 8 * 3 * 3 * 3 * 16;
  EXPECT_EQ(FlopsOf("Conv2D", {images, filter}, kSame), flops);
  EXPECT_EQ(FlopsOf("Conv2DBackpropInput", {IntVector({2, 8, 8, 3}), filter, dy}, kSame), flops);
  EXPECT_EQ(FlopsOf("Conv2DBackpropFilter", {images, IntVector({3, 3, 3, 16}), dy}, kSame), flops);
  EXPECT_EQ(FlopsOf("DepthwiseConv2dNative", {images, Floats({3, 3, 3, 2})}, kSame), 2.0 * 2 * 8 * 8 * 6 * 3 * 3);
}

TEST_F(NodeCostTest, Pooling) {
  const AttrMap windows = {
      {"ksize", std::vector<int64_t>{1, 2, 2, 1}}, {"strides", std::vector<int64_t>{1, 2, 2, 1}}, {"padding", "VALID"}};
  const Output images = Floats({2, 8, 8, 16});
  const Output pooled = Floats({2, 4, 4, 16});
  const double windows_elements = 2.0 * 4 * 4 * 16 * 4;
  EXPECT_EQ(FlopsOf("MaxPool", {images}, windows), windows_elements);
  EXPECT_EQ(FlopsOf("AvgPool", {images}, windows), windows_elements);
  EXPECT_EQ(FlopsOf("MaxPoolGrad", {images, pooled, pooled}, windows), windows_elements);
}

TEST_F(NodeCostTest, Elements) {
  EXPECT_EQ(Of("Tanh", {Floats({3, 4})}), (OpCost{12, 48, 48}));
  EXPECT_EQ(Of("AddV2", {Floats({3, 4}), Floats({4})}), (OpCost{12, 64, 48}));
  EXPECT_EQ(FlopsOf("AddN", {Floats({2, 2}), Floats({2, 2}), Floats({2, 2})}), 8);
  EXPECT_EQ(Of("Sum", {Floats({3, 4}), IntVector({1})}), (OpCost{12, 52, 12}));
  EXPECT_EQ(FlopsOf("Softmax", {Floats({3, 4})}), 60);
  EXPECT_EQ(FlopsOf("SparseSoftmaxCrossEntropyWithLogits", {Floats({3, 4}), Ints({3})}), 60);
  EXPECT_EQ(Of("RandomUniform", {IntVector({2, 3})}, {{"dtype", DType::kFloat}}), (OpCost{120, 8, 24}));
}

TEST_F(NodeCostTest, RowsInPlaceOfTheirTable) {
  const Output table = Floats({1000, 16});
  EXPECT_EQ(Of("Gather", {table, Ints({5})}), (OpCost{0, 5 * 4 + 5 * 16 * 4, 5 * 16 * 4}));
  const Output variable = Add("VariableV2", {}, {{"shape", PartialShape({1000, 16})}, {"dtype", DType::kFloat}});
  EXPECT_EQ(Of("ScatterAdd", {variable, Ints({5}), Floats({5, 16})}), (OpCost{80, 20 + 320 + 320, 320}));
  EXPECT_EQ(Of("ScatterUpdate", {variable, Ints({5}), Floats({5, 16})}), (OpCost{0, 20 + 320, 320}));
  EXPECT_EQ(Of("Slice", {table, IntVector({0, 0}), IntVector({2, 16})}), (OpCost{0, 128 + 16, 128}));
}

TEST_F(NodeCostTest, Matrices) {
  EXPECT_EQ(FlopsOf("Cholesky", {Floats({5, 3, 3})}), 5 * 27 / 3);
  EXPECT_EQ(FlopsOf("MatrixInverse", {Floats({3, 3})}), 54);
  EXPECT_EQ(FlopsOf("MatrixSolve", {Floats({3, 3}), Floats({3, 2})}), 18 + 36);
  EXPECT_EQ(FlopsOf("Qr", {Floats({6, 3})}), 4 * 6 * 9 - 36);
}

TEST_F(NodeCostTest, Sorts) {
  EXPECT_EQ(FlopsOf("ArgSort", {Floats({8})}), 8 * 3);
  EXPECT_EQ(FlopsOf("TopK", {Floats({2, 8})}, {{"k", 4}}), 16 * 2);
}

TEST_F(NodeCostTest, Updates) {
  const auto variable = [this] {
    return Add("VarHandleOp", {}, {{"shape", PartialShape({4, 5})}, {"dtype", DType::kFloat}});
  };
  std::vector<Output> inputs = {variable(), variable(), variable()};
  for (int i = 0; i < 6; ++i) inputs.push_back(Floats(PartialShape::Scalar()));
  inputs.push_back(Floats({4, 5}));
  EXPECT_EQ(Of("ResourceApplyAdam", inputs), (OpCost{12 * 20, 3 * 80 + 6 * 4 + 80, 3 * 80}));
  EXPECT_EQ(Of("AssignVariableOp", {variable(), Floats({4, 5})}), (OpCost{0, 80, 80}));
}

TEST_F(NodeCostTest, NothingForWhatPassesOnOrMovesOnly) {
  EXPECT_EQ(Of("Identity", {Floats({3, 4})}), OpCost());
  EXPECT_EQ(Of("Reshape", {Floats({3, 4}), IntVector({12})}), OpCost());
  EXPECT_EQ(Of("Shape", {Floats({3, 4})}), OpCost());
  EXPECT_EQ(Of("Transpose", {Floats({3, 4}), IntVector({1, 0})}), (OpCost{0, 48 + 8, 48}));
  EXPECT_EQ(Of("NoOp", {}), OpCost());
}

TEST_F(NodeCostTest, UnknownWhereASizeIs) {
  EXPECT_EQ(Of("MatMul", {Floats({-1, 4}), Floats({4, 5})}), std::nullopt);
  EXPECT_EQ(Of("Tanh", {Floats(PartialShape())}), std::nullopt);
  EXPECT_EQ(Of("Identity", {Floats(PartialShape())}), OpCost());
  // The table's size does not matter to a node that reads rows of it.
  EXPECT_EQ(Of("Gather", {Floats({-1, 16}), Ints({5})}), (OpCost{0, 340, 320}));
}

TEST(DumpCostsTest, ALineANode) {
  testing::GraphMaker maker;
  maker.Add("y", "Tanh", {maker.Placeholder("x", {3, 4}, DType::kFloat)});
  maker.Add("z", "Tanh", {maker.Placeholder("free", {}, DType::kFloat)});
  EXPECT_EQ(DumpCosts(maker.graph),
            "x: Placeholder flops=0 read=0 written=0\n"
            "y: Tanh flops=12 read=48 written=48\n"
            "free: Placeholder flops=0 read=0 written=0\n"
            "z: Tanh unknown\n"
            "# in all: flops=12 read=48 written=48; unknown: 1 of 4 nodes\n");
}

}  // namespace
}  // namespace dfrun
