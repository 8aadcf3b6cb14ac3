#include "src/passes/export/freeze.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/graph/graph_def/text_dump.h"
#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/node_runner.h"

namespace dfrun {
namespace {

using ::testing::ElementsAre;
using testing::GraphMaker;

TEST(Freeze, VariablesBecomeConstantsOfTheirNames) {
  GraphMaker maker;
  const Output w = maker.Add("w", "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({2})}});
  const Output handle = maker.Add("v", "VarHandleOp", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({2})}});
  const Output read = maker.Add("v/read", "ReadVariableOp", {handle}, {{"dtype", DType::kFloat}});
  maker.Add("y", "Mul", {w, read});
  EXPECT_THAT(VariablesIn(maker.graph), ElementsAre(w.node, handle.node));
  const Result<FrozenGraph> frozen = FreezeVariables(
      maker.graph, {{w.node, testing::Make<float>({2}, {1, 2})}, {handle.node, testing::Make<float>({2}, {3, 4})}});
  ASSERT_TRUE(frozen.ok()) << frozen.status().ToString();
  EXPECT_EQ(DumpText(frozen->graph),
            "w = Const() {dtype=float32, value=<float32[2] 1 2>} -> float32[2]\n"
            "v = Const() {dtype=float32, value=<float32[2] 3 4>} -> float32[2]\n"
            "v/read = Identity(v) {T=float32} -> float32[2]\n"
            "y = Mul(w, v/read) {T=float32} -> float32[2]\n");
  EXPECT_TRUE(frozen->left_out.empty());
}

TEST(Freeze, NodesThatWriteVariablesAreLeftOutWithTheirReaders) {
  GraphMaker maker;
  const Output w = maker.Add("w", "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({2})}});
  const Output x = maker.Const("x", testing::Make<float>({2}, {5, 6}));
  const Output add = maker.Add("add", "AssignAdd", {w, x});
  maker.Add("added", "Neg", {add});
  const Output y = maker.Add("y", "Sub", {x, w});
  maker.graph.AddControlEdge(add.node, y.node);
  const Result<FrozenGraph> frozen = FreezeVariables(maker.graph, {{w.node, testing::Make<float>({2}, {1, 2})}});
  ASSERT_TRUE(frozen.ok()) << frozen.status().ToString();
  EXPECT_THAT(frozen->left_out, ElementsAre("add", "added"));
  const NodeId found = frozen->graph.Find("y");
  ASSERT_GE(found, 0);
  EXPECT_TRUE(frozen->graph.node(found).control_inputs.empty()) << "what waits for a write does not wait";
}

}  // namespace
}  // namespace dfrun
