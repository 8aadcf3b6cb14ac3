// Nodes that cannot run for any values of the unknown sizes: TensorFlow refuses them when the graph is made.
#include <gtest/gtest.h>

#include "src/graph/graph.h"

namespace dfrun {
namespace {

// A placeholder, or a constant where there is a value, or the handle that an op with these attrs makes.
struct Fed {
  Fed(DType dtype, PartialShape shape) : dtype(dtype), shape(std::move(shape)) {}  // NOLINT: a shorthand
  Fed(Tensor value) : value(std::move(value)) {}                                   // NOLINT: a shorthand
  Fed(std::string maker, AttrMap attrs) : maker(std::move(maker)), attrs(std::move(attrs)) {}
  DType dtype = DType::kInvalid;
  PartialShape shape;
  Tensor value;
  std::string maker;
  AttrMap attrs;
};

struct RefusedNode {
  const char* op;
  std::vector<Fed> inputs;
  AttrMap attrs = {};
};

Output Add(Graph& graph, const Fed& fed, size_t i) {
  NodeSpec spec;
  spec.name = "input" + std::to_string(i);
  if (fed.value.initialized()) {
    spec.op = "Const";
    spec.attrs = {{"dtype", fed.value.dtype()}, {"value", fed.value}};
  } else if (!fed.maker.empty()) {
    spec.op = fed.maker;
    spec.attrs = fed.attrs;
  } else {
    spec.op = "Placeholder";
    spec.attrs = {{"dtype", fed.dtype}, {"shape", fed.shape}};
  }
  const Result<NodeId> id = graph.AddNode(std::move(spec));
  EXPECT_TRUE(id.ok()) << id.status().message();
  return {*id, 0};
}

Fed Floats(PartialShape shape) {
  return {DType::kFloat, std::move(shape)};
}
Fed Ints(PartialShape shape) {
  return {DType::kInt32, std::move(shape)};
}
Fed Strings(PartialShape shape) {
  return {DType::kString, std::move(shape)};
}
Fed Number(int32_t value) {
  return Tensor::Scalar<int32_t>(value);
}
Fed FloatVariable(PartialShape shape) {
  return {"VariableV2", {{"dtype", DType::kFloat}, {"shape", std::move(shape)}}};
}
Fed FloatHandle(PartialShape shape) {
  return {"VarHandleOp", {{"dtype", DType::kFloat}, {"shape", std::move(shape)}}};
}
Fed Table() {
  return {"HashTableV2", {{"key_dtype", DType::kInt64}, {"value_dtype", DType::kFloat}}};
}

std::vector<RefusedNode> RefusedNodes() {
  const PartialShape any;
  const AttrMap nchw = {{"data_format", "NCHW"}};
  const AttrMap group = {{"group_size", int64_t{2}},
                         {"group_key", int64_t{1}},
                         {"instance_key", int64_t{1}},
                         {"shape", PartialShape({4})}};
  return {
      {"BiasAdd", {Floats({2, 3}), Floats(any)}, nchw},
      {"BiasAddGrad", {Floats({2, 3})}, nchw},
      {"ReduceJoin", {Strings(any), Ints({2, 1})}},
      {"Reshape", {Floats({2, 3}), Tensor::Vector<int32_t>({0, -1})}},
      {"ScatterNdAdd", {FloatVariable({-1, 0}), Ints({1, 1}), Floats({1, 0})}},
      {"ScatterNdAdd", {FloatVariable(any), Ints({2, 1}), Floats({3, -1})}},
      {"ScatterNdAdd", {FloatVariable(any), Ints({2, 3, 1}), Floats({2})}},
      {"ResourceGatherNd", {FloatHandle(PartialShape::Scalar()), Ints({-1, 0})}, {{"dtype", DType::kFloat}}},
      {"MatrixSetDiagV3", {Floats({1, 2}), Floats({2, 2, 2}), Ints({-1})}},
      {"MatrixSetDiagV2", {Floats({3, 3, 4}), Floats({3}), Ints({1})}},
      {"MatrixDiagV2", {Floats({2, 3}), Number(1), Ints(PartialShape::Scalar()), Number(2), Floats(any)}},
      {"MatrixDiagV3", {Floats({2, 3}), Number(-1), Number(-7), Ints(PartialShape::Scalar()), Floats(any)}},
      {"InitializeTableV2", {Table(), {DType::kInt64, any}, Floats(PartialShape::Scalar())}},
      {"LookupTableImportV2", {Table(), {DType::kInt64, any}, Floats(PartialShape::Scalar())}},
      {"CollectiveGather", {Floats(PartialShape::Scalar())}, group},
      {"QueueDequeueManyV2",
       {{DType::kResource, any}, Ints({2})},
       {{"component_types", std::vector<DType>{DType::kFloat}}}},
  };
}

TEST(RefusedShapesTest, NodesThatCannotRunAreRefusedWhenTheGraphIsMade) {
  for (const RefusedNode& node : RefusedNodes()) {
    Graph graph;
    NodeSpec spec;
    spec.name = "node";
    spec.op = node.op;
    spec.attrs = node.attrs;
    for (size_t i = 0; i < node.inputs.size(); ++i) spec.inputs.push_back(Add(graph, node.inputs[i], i));
    const Status status = graph.AddNode(std::move(spec)).status();
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << node.op << ": " << status.message();
  }
}

}  // namespace
}  // namespace dfrun
