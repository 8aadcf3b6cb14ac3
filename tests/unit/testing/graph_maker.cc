#include "tests/unit/testing/graph_maker.h"

#include <algorithm>
#include <utility>

namespace dfrun::testing {

GraphMaker::GraphMaker(const OpRegistry& ops) : graph(ops) {}

Output GraphMaker::Add(NodeSpec spec) {
  const std::string name = spec.name;
  Result<NodeId> id = graph.AddNode(std::move(spec));
  EXPECT_TRUE(id.ok()) << name << ": " << id.status().ToString();
  return {id.ok() ? *id : -1, 0};
}

Output GraphMaker::Add(const std::string& name, const std::string& op, const std::vector<Output>& inputs,
                       const AttrMap& attrs) {
  NodeSpec spec;
  spec.name = name;
  spec.op = op;
  spec.inputs = inputs;
  spec.attrs = attrs;
  return Add(std::move(spec));
}

Output GraphMaker::Const(const std::string& name, const Tensor& value) {
  return Add(name, "Const", {}, {{"dtype", value.dtype()}, {"value", value}});
}

Output GraphMaker::Placeholder(const std::string& name, const PartialShape& shape, DType dtype) {
  return Add(name, "Placeholder", {}, {{"dtype", dtype}, {"shape", shape}});
}

const Node* GraphMaker::Find(const std::string& name) const {
  const NodeId id = graph.Find(name);
  return id < 0 ? nullptr : &graph.node(id);
}

std::vector<std::string> GraphMaker::InputsOf(const std::string& name) const {
  std::vector<std::string> names;
  for (Output input : Find(name)->inputs) names.push_back(graph.node(input.node).name);
  return names;
}

std::vector<std::string> GraphMaker::ControlsOf(const std::string& name) const {
  std::vector<std::string> names;
  for (NodeId id : Find(name)->control_inputs) names.push_back(graph.node(id).name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace dfrun::testing
