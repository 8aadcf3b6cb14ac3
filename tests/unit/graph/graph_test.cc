#include "src/graph/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/graph/test_ops.h"

namespace dfrun {
namespace {

using testing::Add;
using testing::AddConst;
using ::testing::HasSubstr;
using testing::TestOps;

class GraphTest : public ::testing::Test {
 protected:
  NodeId Placeholder(const std::string& name, DType dtype, PartialShape shape) {
    return Add(g_, name, "Placeholder", {}, {{"dtype", dtype}, {"shape", std::move(shape)}});
  }
  Result<NodeId> Try(const std::string& name, const std::string& op, std::vector<Output> inputs, AttrMap attrs = {}) {
    NodeSpec spec;
    spec.name = name;
    spec.op = op;
    spec.inputs = std::move(inputs);
    spec.attrs = std::move(attrs);
    return g_.AddNode(std::move(spec));
  }

  Graph g_{TestOps()};
};

TEST_F(GraphTest, AddNodeInfersTypesDefaultsAndShapes) {
  const NodeId a = Placeholder("a", DType::kFloat, {2, 3});
  const NodeId b = Placeholder("b", DType::kFloat, {3, -1});
  const NodeId m = Add(g_, "m", "MatMul", {{a, 0}, {b, 0}});
  EXPECT_EQ(g_.shape({m, 0}), PartialShape({2, -1}));
  EXPECT_EQ(g_.dtype({m, 0}), DType::kFloat);
  EXPECT_EQ(*g_.node(m).attrs.Find("T"), AttrValue(DType::kFloat));
  EXPECT_EQ(*g_.node(m).attrs.Find("transpose_a"), AttrValue(false));
}

TEST_F(GraphTest, ErrorNamesNodeOpAndInputsAndLeavesTheGraph) {
  const NodeId a = Placeholder("a", DType::kFloat, {2, 3});
  const Result<NodeId> bad = Try("m", "MatMul", {{a, 0}, {a, 0}});
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.status().code(), Code::kInvalidArgument);
  EXPECT_THAT(bad.status().message(), HasSubstr("node 'm' (op MatMul)"));
  EXPECT_THAT(bad.status().message(), HasSubstr("'a' float32[2,3]"));
  EXPECT_EQ(g_.num_nodes(), 1);
  EXPECT_EQ(g_.Find("m"), -1);
}

TEST_F(GraphTest, RefusesWrongNodes) {
  const NodeId a = Placeholder("a", DType::kFloat, {2, 2});
  const NodeId i = Placeholder("i", DType::kInt32, {2, 2});
  EXPECT_THAT(Try("x", "MatMuul", {{a, 0}, {a, 0}}).status().message(), HasSubstr("did you mean 'MatMul'"));
  EXPECT_THAT(Try("a", "Relu", {{a, 0}}).status().message(), HasSubstr("a node of that name"));
  EXPECT_THAT(Try("a b", "Relu", {{a, 0}}).status().message(), HasSubstr("no name for a node"));
  EXPECT_THAT(Try("x", "Add", {{a, 0}, {i, 0}}).status().message(), HasSubstr("int32"));
  EXPECT_THAT(Try("x", "Relu", {}).status().message(), HasSubstr("0 inputs"));
  EXPECT_THAT(Try("x", "Relu", {{a, 1}}).status().message(), HasSubstr("no output 'a:1'"));
  EXPECT_THAT(Try("x", "Relu", {{7, 0}}).status().message(), HasSubstr("not there"));
  EXPECT_THAT(Try("x", "Assign", {{a, 0}, {a, 0}}).status().message(), HasSubstr("must be a variable"));
  EXPECT_THAT(Try("x", "Relu", {{a, 0}}, {{"alpha", 1}}).status().message(), HasSubstr("unknown attr 'alpha'"));
}

TEST_F(GraphTest, PlaceOfASpecIsInErrors) {
  g_.files() = {"model.yaml"};
  NodeSpec spec;
  spec.name = "x";
  spec.op = "Relu";
  spec.location = {0, 3, 7};
  EXPECT_THAT(g_.AddNode(spec).status().message(), HasSubstr("model.yaml:3:7: node 'x' (op Relu)"));
}

TEST_F(GraphTest, UniqueNameIsTheFirstFree) {
  Placeholder("x", DType::kFloat, {});
  EXPECT_EQ(g_.UniqueName("y"), "y");
  EXPECT_EQ(g_.UniqueName("x"), "x_1");
  Placeholder("x_2", DType::kFloat, {});
  Placeholder("x_01", DType::kFloat, {});
  EXPECT_EQ(g_.UniqueName("x"), "x_1");
  Placeholder("x_1", DType::kFloat, {});
  EXPECT_EQ(g_.UniqueName("x"), "x_3");
  EXPECT_EQ(g_.Clone().UniqueName("x"), "x_3");
}

TEST_F(GraphTest, ParseOutput) {
  const NodeId x = Placeholder("x", DType::kFloat, {4});
  const NodeId d = AddConst(g_, "d", Tensor::Scalar<int32_t>(0));
  const NodeId s = Add(g_, "parts", "Split", {{d, 0}, {x, 0}}, {{"num_split", 2}});
  EXPECT_EQ(*g_.ParseOutput("parts:1"), (Output{s, 1}));
  EXPECT_EQ(*g_.ParseOutput("x"), (Output{x, 0}));
  EXPECT_THAT(g_.ParseOutput("part").status().message(), HasSubstr("did you mean 'parts'"));
  EXPECT_THAT(g_.ParseOutput("parts:2").status().message(), HasSubstr("has 2 outputs"));
  EXPECT_FALSE(g_.ParseOutput("parts:").ok());
  EXPECT_FALSE(g_.ParseOutput("parts:-1").ok());
  EXPECT_FALSE(g_.ParseOutput("parts:99999999999").ok());
}

TEST_F(GraphTest, SuggestsInLargeGraphs) {
  for (int i = 0; i < 3000; ++i) Placeholder(StrCat("layer", i, "/weight"), DType::kFloat, {});
  EXPECT_THAT(g_.ParseOutput("layer17/wieght").status().message(), HasSubstr("'layer17/weight'"));
  EXPECT_THAT(g_.ParseOutput("layer17/Weight").status().message(), HasSubstr("'layer17/weight'"));
  EXPECT_THAT(g_.ParseOutput("layer17/weigh").status().message(), HasSubstr("'layer17/weight'"));
  EXPECT_THAT(g_.ParseOutput("layer2999//weight").status().message(), HasSubstr("'layer2999/weight'"));
  EXPECT_EQ(g_.ParseOutput("nothing_like_it").status().message(), "there is no node 'nothing_like_it'");
}

TEST_F(GraphTest, LoopsCloseThroughMerge) {
  const NodeId x = Placeholder("x", DType::kFloat, {2});
  const NodeId enter = Add(g_, "enter", "Enter", {{x, 0}}, {{"frame_name", "f"}});
  EXPECT_THAT(Try("m", "Relu", {{-1, 0}}).status().message(), HasSubstr("needs its type attr"));
  const NodeId merge = Add(g_, "merge", "Merge", {{enter, 0}, {-1, 0}}, {{"T", DType::kFloat}});
  EXPECT_EQ(g_.node(merge).num_inputs(), 2);
  const NodeId body = Add(g_, "body", "Relu", {{merge, 0}});
  const NodeId next = Add(g_, "next", "NextIteration", {{body, 0}});
  EXPECT_FALSE(g_.SetInput(merge, 1, {merge, 1}).ok());  // int32
  EXPECT_FALSE(g_.SetInput(merge, 2, {next, 0}).ok());
  ASSERT_TRUE(g_.SetInput(merge, 1, {next, 0}).ok());
  EXPECT_TRUE(g_.IsBackEdge(g_.node(merge), 1));
  EXPECT_FALSE(g_.IsBackEdge(g_.node(merge), 0));
  EXPECT_EQ(*g_.TopologicalOrder(), (std::vector<NodeId>{x, enter, merge, body, next}));
  EXPECT_TRUE(g_.InferShapes().ok());
}

TEST_F(GraphTest, TopologicalOrderFollowsMovedEdges) {
  const NodeId a = Placeholder("a", DType::kFloat, {2});
  const NodeId r = Add(g_, "r", "Relu", {{a, 0}});
  const NodeId b = Placeholder("b", DType::kFloat, {5});
  const NodeId c = Placeholder("c", DType::kFloat, {5});
  ASSERT_TRUE(g_.SetInput(r, 0, {b, 0}).ok());
  g_.AddControlEdge(c, b);
  EXPECT_EQ(*g_.TopologicalOrder(), (std::vector<NodeId>{a, c, b, r}));
  ASSERT_TRUE(g_.InferShapes().ok());
  EXPECT_EQ(g_.shape({r, 0}), PartialShape({5}));
}

TEST_F(GraphTest, CycleIsNamed) {
  const NodeId a = Placeholder("a", DType::kFloat, {2});
  const NodeId r = Add(g_, "r", "Relu", {{a, 0}});
  const NodeId s = Add(g_, "s", "Relu", {{r, 0}});
  ASSERT_TRUE(g_.SetInput(r, 0, {s, 0}).ok());
  const Status status = g_.TopologicalOrder().status();
  EXPECT_THAT(status.message(), HasSubstr("cycle"));
  EXPECT_THAT(status.message(), HasSubstr("'r' -> 's' -> 'r'"));
  EXPECT_FALSE(g_.InferShapes().ok());
}

TEST_F(GraphTest, ConsumersListEveryEdge) {
  const NodeId a = Placeholder("a", DType::kFloat, {2});
  const NodeId sum = Add(g_, "sum", "Add", {{a, 0}, {a, 0}});
  g_.AddControlEdge(a, sum);
  const Consumers consumers = g_.BuildConsumers();
  ASSERT_EQ(consumers.of(a).size(), 3U);
  EXPECT_EQ(consumers.of(a)[0].input, 0);
  EXPECT_EQ(consumers.of(a)[1].input, 1);
  EXPECT_EQ(consumers.of(a)[2].port, -1);
  EXPECT_TRUE(consumers.of(sum).empty());
}

TEST_F(GraphTest, SubsetRenumbers) {
  Placeholder("gone", DType::kFloat, {2});
  const NodeId n = AddConst(g_, "n", Tensor::Scalar<int32_t>(3));
  const NodeId i = Add(g_, "i", "Identity", {{n, 0}});
  g_.AddControlEdge(n, i);
  std::vector<NodeId> ids;
  const Graph kept = g_.Subset({false, true, true}, &ids);
  EXPECT_EQ(ids, (std::vector<NodeId>{-1, 0, 1}));
  EXPECT_EQ(kept.node(1).inputs[0], (Output{0, 0}));
  EXPECT_EQ(kept.node(1).control_inputs, (std::vector<NodeId>{0}));
  EXPECT_EQ(kept.Find("i"), 1);
  EXPECT_EQ(kept.Find("gone"), -1);
  EXPECT_EQ(kept.ConstantValue({1, 0})->scalar<int32_t>(), 3);
}

TEST(NodeNameTest, FollowsTensorFlow) {
  EXPECT_TRUE(IsValidNodeName("a/b-c_d.1>x"));
  EXPECT_TRUE(IsValidNodeName(".x"));
  for (const char* bad : {"", "_x", "/x", "-x", "a b", "a:0", "^a", "\xc3\xa4"}) EXPECT_FALSE(IsValidNodeName(bad));
}

}  // namespace
}  // namespace dfrun
