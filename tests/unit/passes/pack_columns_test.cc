#include "src/passes/pack_columns.h"

#include <gtest/gtest.h>

#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using Names = std::vector<std::string>;

// Columns [16, 40) of three matrices of 8 x 64.
class PackColumnsTest : public ::testing::Test {
 protected:
  PackColumnsTest() {
    for (int i = 0; i < 3; ++i) {
      matrices.push_back(g.Placeholder("matrix" + std::to_string(i), {8, 64}, DType::kFloat));
      slices.push_back(Slice(i, matrices.back(), 0, 16, 8, 24));
    }
  }
  Output Ints(const std::string& name, int32_t a, int32_t b) {
    Tensor value(DType::kInt32, Shape({2}));
    value.data<int32_t>()[0] = a;
    value.data<int32_t>()[1] = b;
    return g.Const(name, value);
  }
  Output Slice(int i, Output whole, int row, int column, int rows, int columns) {
    const std::string name = "slice" + std::to_string(i);
    return g.Add(name, "Slice", {whole, Ints(name + "/begin", row, column), Ints(name + "/size", rows, columns)});
  }
  void Fuse(const std::vector<Output>& values, int64_t axis = 1) {
    g.Add("end", "Neg", {g.Add("pack", "Pack", values, {{"axis", axis}})});
    const Status status = PackColumns(g.graph);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  void ExpectAsItWas() { EXPECT_EQ(g.Find("pack")->op->name, "Pack"); }

  testing::GraphMaker g;
  std::vector<Output> matrices, slices;
};

TEST_F(PackColumnsTest, SlicesAndTheirPackBecomeOneNode) {
  Fuse(slices);
  const Node* pack = g.Find("pack");
  ASSERT_EQ(pack->op->name, "_PackColumns");
  EXPECT_EQ(g.InputsOf("pack"), (Names{"matrix0", "matrix1", "matrix2"}));
  EXPECT_EQ(*pack->attrs.Find("first")->get<int64_t>(), 16);
  EXPECT_EQ(*pack->attrs.Find("columns")->get<int64_t>(), 24);
  EXPECT_EQ(*pack->attrs.Find("axis")->get<int64_t>(), 1);
  EXPECT_EQ(pack->output_shapes[0].ToString(), PartialShape({8, 3, 24}).ToString());
  EXPECT_EQ(g.Find("slice1"), nullptr);
  EXPECT_EQ(g.InputsOf("end"), Names{"pack"});
}

TEST_F(PackColumnsTest, AlongTheFirstDimensionToo) {
  Fuse(slices, -3);
  ASSERT_EQ(g.Find("pack")->op->name, "_PackColumns");
  EXPECT_EQ(*g.Find("pack")->attrs.Find("axis")->get<int64_t>(), 0);
}

// As TensorFlow's gradients have it: an Identity gives the columns when its sister is computed too.
TEST_F(PackColumnsTest, WhatIdentitiesWaitForThePackWaitsFor) {
  const Output sister = g.Add("sister", "Neg", {matrices[1]});
  const Output identity = g.Add("identity", "Identity", {slices[1]});
  g.node(identity).control_inputs = {sister.node};
  const Output waiting = g.Add("waiting", "NoOp");
  g.node(waiting).control_inputs = {slices[1].node};
  Fuse({slices[0], identity, slices[2]});
  ASSERT_EQ(g.Find("pack")->op->name, "_PackColumns");
  EXPECT_EQ(g.ControlsOf("pack"), Names{"sister"});
  EXPECT_EQ(g.Find("identity"), nullptr);
  // Who waited for the slice waits for what the slice waited for.
  EXPECT_EQ(g.ControlsOf("waiting"), Names{"slice1/inputs"});
  EXPECT_EQ(g.ControlsOf("slice1/inputs"), (Names{"matrix1", "slice1/begin", "slice1/size"}));
}

TEST_F(PackColumnsTest, AlongTheLastDimensionTheyStay) {
  Fuse(slices, 2);
  ExpectAsItWas();
}

TEST_F(PackColumnsTest, SlicesThatOthersReadStay) {
  g.Add("reader", "Neg", {slices[1]});
  Fuse(slices);
  ExpectAsItWas();
}

TEST_F(PackColumnsTest, ASlicePackedTwiceStays) {
  Fuse({slices[0], slices[1], slices[1]});
  ExpectAsItWas();
}

TEST_F(PackColumnsTest, OtherColumnsStay) {
  Fuse({slices[0], Slice(3, matrices[1], 0, 17, 8, 24)});
  ExpectAsItWas();
}

TEST_F(PackColumnsTest, ColumnsOfOtherMatricesStay) {
  Fuse({slices[0], Slice(3, g.Placeholder("wider", {8, 65}, DType::kFloat), 0, 16, 8, 24)});
  ExpectAsItWas();
}

TEST_F(PackColumnsTest, SomeRowsStay) {
  Fuse({Slice(3, matrices[0], 1, 16, 7, 24), Slice(4, matrices[1], 1, 16, 7, 24)});
  ExpectAsItWas();
}

TEST_F(PackColumnsTest, FewColumnsStay) {
  Fuse({Slice(3, matrices[0], 0, 16, 8, 3), Slice(4, matrices[1], 0, 16, 8, 3)});
  ExpectAsItWas();
}

TEST_F(PackColumnsTest, ColumnsOfAnotherDeviceStay) {
  g.node(slices[2]).device = "/job:worker/task:1";
  Fuse(slices);
  ExpectAsItWas();
}

TEST_F(PackColumnsTest, ColumnsOfVariablesStay) {
  const Output variable =
      g.Add("variable", "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({8, 64})}});
  Fuse({slices[0], Slice(3, variable, 0, 16, 8, 24)});
  ExpectAsItWas();
}

}  // namespace
}  // namespace dfrun
