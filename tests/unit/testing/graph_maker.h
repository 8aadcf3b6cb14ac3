// Short forms for building graphs in tests.
#ifndef DFRUN_TESTS_UNIT_TESTING_GRAPH_MAKER_H_
#define DFRUN_TESTS_UNIT_TESTING_GRAPH_MAKER_H_

#include <gtest/gtest.h>

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

  Graph graph;
};

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_TESTING_GRAPH_MAKER_H_
