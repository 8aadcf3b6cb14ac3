// Short forms for building graphs in tests.
#ifndef DFRUN_TESTS_UNIT_TESTING_GRAPH_MAKER_H_
#define DFRUN_TESTS_UNIT_TESTING_GRAPH_MAKER_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun::testing {

// Adds nodes to its graph; a node that cannot be added fails the test.
class GraphMaker {
 public:
  explicit GraphMaker(const OpRegistry& ops = OpRegistry::Builtin()) : graph(ops) {}

  Output Add(NodeSpec spec) {
    const std::string name = spec.name;
    Result<NodeId> id = graph.AddNode(std::move(spec));
    EXPECT_TRUE(id.ok()) << name << ": " << id.status().ToString();
    return {id.ok() ? *id : -1, 0};
  }
  Output Add(const std::string& name, const std::string& op, const std::vector<Output>& inputs = {},
             AttrMap attrs = {}) {
    NodeSpec spec;
    spec.name = name;
    spec.op = op;
    spec.inputs = inputs;
    spec.attrs = std::move(attrs);
    return Add(std::move(spec));
  }
  Output Const(const std::string& name, Tensor value) {
    const DType dtype = value.dtype();
    return Add(name, "Const", {}, {{"dtype", dtype}, {"value", std::move(value)}});
  }
  template <class T = double>
  Output Scalar(const std::string& name, T value) {
    return Const(name, Tensor::Scalar<T>(value));
  }
  Output Placeholder(const std::string& name, PartialShape shape = PartialShape(), DType dtype = DType::kDouble) {
    return Add(name, "Placeholder", {}, {{"dtype", dtype}, {"shape", std::move(shape)}});
  }
  Node& node(Output value) { return graph.mutable_node(value.node); }
  // Null if there is none.
  const Node* Find(const std::string& name) const {
    const NodeId id = graph.Find(name);
    return id < 0 ? nullptr : &graph.node(id);
  }
  // The names of the nodes that a node reads, in order, and of those that it waits for, sorted.
  std::vector<std::string> InputsOf(const std::string& name) const {
    std::vector<std::string> names;
    for (Output input : Find(name)->inputs) names.push_back(graph.node(input.node).name);
    return names;
  }
  std::vector<std::string> ControlsOf(const std::string& name) const {
    std::vector<std::string> names;
    for (NodeId id : Find(name)->control_inputs) names.push_back(graph.node(id).name);
    std::sort(names.begin(), names.end());
    return names;
  }

  Graph graph;
};

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_TESTING_GRAPH_MAKER_H_
