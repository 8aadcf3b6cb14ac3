#include "src/graph/graph_def/text_dump.h"

#include <gtest/gtest.h>

#include "src/graph/graph_def/dot.h"
#include "tests/unit/graph/test_ops.h"

namespace dfrun {
namespace {

using testing::Add;
using testing::AddConst;
using testing::TestOps;

Graph Small() {
  Graph g(TestOps());
  const NodeId v = Add(g, "v", "VariableV2", {}, {{"shape", PartialShape({2})}, {"dtype", DType::kFloat}});
  const NodeId c = AddConst(g, "c", Tensor::Vector<float>({1, 2}));
  NodeSpec spec;
  spec.name = "sum";
  spec.op = "Add";
  spec.inputs = {{v, 0}, {c, 0}};
  spec.control_inputs = {c};
  spec.device = "/job:ps";
  spec.colocate_with = "v";
  DF_CHECK(g.AddNode(spec).ok());
  return g;
}

TEST(TextDumpTest, OneLineANode) {
  EXPECT_EQ(DumpText(Small()),
            "v = VariableV2() {container=\"\", dtype=float32, shape=[2], shared_name=\"\"} -> ref float32[2]\n"
            "c = Const() {dtype=float32, value=<float32[2] 1 2>} -> float32[2]\n"
            "sum = Add(v, c, ^c) {T=float32} -> float32[2] device=/job:ps colocate=v\n");
}

TEST(TextDumpTest, TensorsThatAreCutOffDiffer) {
  std::vector<float> values(100, 1.0F);
  Graph a(TestOps());
  AddConst(a, "c", Tensor::Vector<float>(values));
  values.back() = 2.0F;
  Graph b(TestOps());
  AddConst(b, "c", Tensor::Vector<float>(values));
  EXPECT_EQ(DumpText(a), DumpText(a.Clone()));
  EXPECT_NE(DumpText(a), DumpText(b));
}

TEST(DotTest, NodesAndEdges) {
  EXPECT_EQ(DumpDot(Small()),
            "digraph dfrun {\n  node [shape=box];\n"
            "  n0_0 [label=\"v\\nVariableV2\"];\n  n0_1 [label=\"c\\nConst\"];\n  n0_2 [label=\"sum\\nAdd\"];\n"
            "  n0_0 -> n0_2 [label=\"float32[2]\"];\n  n0_1 -> n0_2 [label=\"float32[2]\"];\n"
            "  n0_1 -> n0_2 [style=dashed];\n}\n");
}

}  // namespace
}  // namespace dfrun
