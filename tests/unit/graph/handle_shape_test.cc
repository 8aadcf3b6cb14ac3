#include <gtest/gtest.h>

#include "src/graph/graph.h"

namespace dfrun {
namespace {

NodeId Add(Graph& graph, const std::string& name, const std::string& op, std::vector<Output> inputs, AttrMap attrs) {
  NodeSpec spec;
  spec.name = name;
  spec.op = op;
  spec.inputs = std::move(inputs);
  spec.attrs = std::move(attrs);
  const Result<NodeId> id = graph.AddNode(std::move(spec));
  EXPECT_TRUE(id.ok()) << id.status().message();
  return *id;
}

TEST(HandleShapeTest, ReadsHaveTheShapeThatTheHandleDeclares) {
  Graph graph;
  const PartialShape declared({-1, 3});
  const NodeId handle = Add(graph, "v", "VarHandleOp", {}, {{"dtype", DType::kFloat}, {"shape", declared}});
  const NodeId same = Add(graph, "same", "Identity", {{handle, 0}}, {});
  const NodeId read = Add(graph, "read", "ReadVariableOp", {{same, 0}}, {{"dtype", DType::kFloat}});
  const NodeId shape = Add(graph, "shape", "VariableShape", {{handle, 0}}, {});
  EXPECT_EQ(graph.shape({read, 0}), declared);
  EXPECT_EQ(graph.shape({shape, 0}), PartialShape({2}));
}

TEST(HandleShapeTest, AHandleFromElsewhereHasAnUnknownShape) {
  Graph graph;
  const NodeId fed = Add(graph, "fed", "Placeholder", {}, {{"dtype", DType::kResource}});
  const NodeId read = Add(graph, "read", "ReadVariableOp", {{fed, 0}}, {{"dtype", DType::kFloat}});
  EXPECT_EQ(graph.shape({read, 0}), PartialShape());
}

}  // namespace
}  // namespace dfrun
