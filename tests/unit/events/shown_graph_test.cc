// The graph that TensorBoard shows.
#include "src/events/shown_graph.h"

#include <gtest/gtest.h>

#include <map>

#include "src/graph/proto/graph.pb.h"

namespace dfrun {
namespace {

Tensor Numbers(int64_t count) {
  Tensor tensor(DType::kFloat, Shape({count}));
  std::fill_n(tensor.data<float>(), count, 1.0F);
  return tensor;
}

NodeId Add(Graph& graph, const std::string& name, const std::string& op, std::vector<Output> inputs, AttrMap attrs) {
  NodeSpec spec;
  spec.name = name;
  spec.op = op;
  spec.inputs = std::move(inputs);
  spec.attrs = std::move(attrs);
  const Result<NodeId> id = graph.AddNode(std::move(spec));
  EXPECT_TRUE(id.ok()) << id.status().ToString();
  return *id;
}

void SetDevices(const std::string& device, Graph& graph) {
  for (NodeId id = 0; id < graph.num_nodes(); ++id) graph.mutable_node(id).device = device;
}

AttrMap Channel(const char* type_attr) {
  return {{type_attr, DType::kFloat},
          {"tensor_name", "x"},
          {"send_device", "/device:a:0"},
          {"recv_device", "/device:b:0"},
          {"channel", 7}};
}

std::map<std::string, proto::NodeDef> Shown(const Graph& a, const Graph& b) {
  const Graph* const graphs[] = {&a, &b};
  proto::GraphDef def;
  EXPECT_TRUE(def.ParseFromString(ShownGraphDef(graphs)));
  std::map<std::string, proto::NodeDef> nodes;
  for (const proto::NodeDef& node : def.node()) EXPECT_TRUE(nodes.emplace(node.name(), node).second) << node.name();
  return nodes;
}

TEST(ShownGraphTest, EdgesLeadFromSendsToReceives) {
  Graph a;
  const NodeId x = Add(a, "x", "Const", {}, {{"value", Numbers(3)}, {"dtype", DType::kFloat}});
  Add(a, "x/send", "_Send", {{x, 0}}, Channel("T"));
  SetDevices("/device:a:0", a);
  Graph b;
  const NodeId received = Add(b, "x/recv", "_Recv", {}, Channel("tensor_type"));
  Add(b, "y", "Neg", {{received, 0}}, {});
  SetDevices("/device:b:0", b);
  std::map<std::string, proto::NodeDef> nodes = Shown(a, b);
  ASSERT_EQ(nodes.size(), 4u);
  EXPECT_EQ(nodes["x/recv"].input(0), "x/send");
  EXPECT_EQ(nodes["y"].input(0), "x/recv");
  EXPECT_EQ(nodes["y"].device(), "/device:b:0");
  EXPECT_EQ(nodes["x"].device(), "/device:a:0");
  EXPECT_EQ(nodes["x"].attr().at("_output_shapes").list().shape(0).dim(0).size(), 3);
}

TEST(ShownGraphTest, LargeConstantsAreNamedAndLeftOut) {
  Graph a;
  Add(a, "large", "Const", {}, {{"value", Numbers(257)}, {"dtype", DType::kFloat}});
  Add(a, "small", "Const", {}, {{"value", Numbers(8)}, {"dtype", DType::kFloat}});
  std::map<std::string, proto::NodeDef> nodes = Shown(a, Graph());
  EXPECT_EQ(nodes["large"].attr().count("value"), 0u);
  EXPECT_EQ(nodes["large"].attr().at("_too_large_attrs").list().s(0), "value");
  EXPECT_EQ(nodes["small"].attr().at("value").tensor().tensor_shape().dim(0).size(), 8);
  EXPECT_EQ(nodes["small"].attr().count("_too_large_attrs"), 0u);
}

TEST(ShownGraphTest, AConstantOfTwoPartitionsIsShownOnce) {
  Graph a;
  Add(a, "x", "Const", {}, {{"value", Numbers(1)}, {"dtype", DType::kFloat}});
  SetDevices("/device:a:0", a);
  Graph b = a.Clone();
  SetDevices("/device:b:0", b);
  std::map<std::string, proto::NodeDef> nodes = Shown(a, b);
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_EQ(nodes["x"].device(), "/device:a:0");
}

}  // namespace
}  // namespace dfrun
