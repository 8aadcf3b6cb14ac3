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

TEST(HandleShapeTest, ElementsOfArraysAndValuesOfTablesHaveTheDeclaredShape) {
  Graph graph;
  const NodeId size =
      Add(graph, "size", "Const", {}, {{"dtype", DType::kInt32}, {"value", Tensor::Scalar<int32_t>(4)}});
  const NodeId array = Add(graph, "array", "TensorArrayV3", {{size, 0}},
                           {{"dtype", DType::kFloat}, {"element_shape", PartialShape({-1, 3})}});
  const NodeId grad = Add(graph, "grad", "TensorArrayGradV3", {{array, 0}, {array, 1}}, {{"source", std::string("g")}});
  const NodeId read =
      Add(graph, "read", "TensorArrayReadV3", {{grad, 0}, {size, 0}, {grad, 1}}, {{"dtype", DType::kFloat}});
  EXPECT_EQ(graph.shape({read, 0}), PartialShape({-1, 3}));

  const NodeId table =
      Add(graph, "table", "MutableHashTableOfTensorsV2", {},
          {{"key_dtype", DType::kInt64}, {"value_dtype", DType::kFloat}, {"value_shape", PartialShape({3})}});
  const NodeId keys = Add(graph, "keys", "Placeholder", {}, {{"dtype", DType::kInt64}, {"shape", PartialShape({-1})}});
  const NodeId none = Add(graph, "none", "Placeholder", {}, {{"dtype", DType::kFloat}});
  const NodeId found = Add(graph, "found", "LookupTableFindV2", {{table, 0}, {keys, 0}, {none, 0}}, {});
  EXPECT_EQ(graph.shape({found, 0}), PartialShape({-1, 3}));
}

Status Refusal(Graph& graph, const std::string& op, std::vector<Output> inputs, AttrMap attrs) {
  NodeSpec spec;
  spec.name = "refused";
  spec.op = op;
  spec.inputs = std::move(inputs);
  spec.attrs = std::move(attrs);
  return graph.AddNode(std::move(spec)).status();
}

TEST(HandleShapeTest, AHandleOfAnotherDTypeIsRefused) {
  Graph graph;
  const NodeId variable = Add(graph, "v", "VarHandleOp", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({2})}});
  const NodeId same = Add(graph, "same", "Identity", {{variable, 0}}, {});
  const Status read = Refusal(graph, "ReadVariableOp", {{same, 0}}, {{"dtype", DType::kInt32}});
  EXPECT_NE(read.message().find("attr 'dtype' is int32, but 'v' (op VarHandleOp) holds float32"), std::string::npos)
      << read.message();
  const Tensor any = Tensor::Scalar<int32_t>(-1);
  const NodeId shape = Add(graph, "any", "Const", {}, {{"dtype", DType::kInt32}, {"value", any}});
  const NodeId list =
      Add(graph, "list", "EmptyTensorList", {{shape, 0}, {shape, 0}}, {{"element_dtype", DType::kFloat}});
  EXPECT_EQ(Refusal(graph, "TensorListStack", {{list, 0}, {shape, 0}}, {{"element_dtype", DType::kInt32}}).code(),
            Code::kInvalidArgument);
  // An element of a list may itself be a list, of any dtype.
  const NodeId lists =
      Add(graph, "lists", "EmptyTensorList", {{shape, 0}, {shape, 0}}, {{"element_dtype", DType::kVariant}});
  const NodeId pushed = Add(graph, "pushed", "TensorListPushBack", {{lists, 0}, {list, 0}}, {});
  const NodeId popped =
      Add(graph, "popped", "TensorListPopBack", {{pushed, 0}, {shape, 0}}, {{"element_dtype", DType::kVariant}});
  Add(graph, "stacked", "TensorListStack", {{popped, 1}, {shape, 0}}, {{"element_dtype", DType::kFloat}});
}

NodeId AddList(Graph& graph, const std::string& name, std::vector<int32_t> element) {
  const NodeId shape =
      Add(graph, name + "/shape", "Const", {}, {{"dtype", DType::kInt32}, {"value", Tensor::Vector<int32_t>(element)}});
  const NodeId size =
      Add(graph, name + "/size", "Const", {}, {{"dtype", DType::kInt32}, {"value", Tensor::Scalar<int32_t>(4)}});
  return Add(graph, name, "TensorListReserve", {{shape, 0}, {size, 0}}, {{"element_dtype", DType::kFloat}});
}

TEST(HandleShapeTest, ElementsOfJoinedListsFitBoth) {
  Graph graph;
  const NodeId rows = AddList(graph, "rows", {-1, 3});
  const NodeId two = AddList(graph, "two", {2, -1});
  const NodeId other = AddList(graph, "other", {2, 4});
  const AttrMap floats = {{"element_dtype", DType::kFloat}};
  const NodeId joined = Add(graph, "joined", "TensorListConcatLists", {{rows, 0}, {two, 0}}, floats);
  const NodeId any = Add(graph, "any", "Placeholder", {}, {{"dtype", DType::kInt32}, {"shape", PartialShape({2})}});
  const NodeId stacked = Add(graph, "stacked", "TensorListStack", {{joined, 0}, {any, 0}}, floats);
  EXPECT_EQ(graph.shape({stacked, 0}), PartialShape({-1, 2, 3}));
  EXPECT_EQ(Refusal(graph, "TensorListConcatLists", {{joined, 0}, {other, 0}}, floats).code(), Code::kInvalidArgument);
}

TEST(HandleShapeTest, RowsThatDoNotFitAnArrayAreRefused) {
  Graph graph;
  const NodeId size =
      Add(graph, "size", "Const", {}, {{"dtype", DType::kInt32}, {"value", Tensor::Scalar<int32_t>(4)}});
  const NodeId array = Add(graph, "array", "TensorArrayV3", {{size, 0}},
                           {{"dtype", DType::kFloat}, {"element_shape", PartialShape({-1, 3})}});
  const NodeId numbers =
      Add(graph, "numbers", "Placeholder", {}, {{"dtype", DType::kInt32}, {"shape", PartialShape({2})}});
  const auto scatter = [&](const std::string& value, PartialShape shape) {
    const NodeId rows = Add(graph, value, "Placeholder", {}, {{"dtype", DType::kFloat}, {"shape", std::move(shape)}});
    return Refusal(graph, "TensorArrayScatterV3", {{array, 0}, {numbers, 0}, {rows, 0}, {array, 1}}, {}).code();
  };
  EXPECT_EQ(scatter("wide", {2, -1, 4}), Code::kInvalidArgument);
  EXPECT_EQ(scatter("many", {3, -1, 3}), Code::kInvalidArgument);
  EXPECT_EQ(scatter("fitting", {2, -1, 3}), Code::kOk);
}

}  // namespace
}  // namespace dfrun
