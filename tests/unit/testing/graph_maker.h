// Short forms for building graphs in tests.
#ifndef DFRUN_TESTS_UNIT_TESTING_GRAPH_MAKER_H_
#define DFRUN_TESTS_UNIT_TESTING_GRAPH_MAKER_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun::testing {

// Adds nodes to its graph; a node that cannot be added fails the test.
class GraphMaker {
 public:
  explicit GraphMaker(const OpRegistry& ops = OpRegistry::Builtin());

  Output Add(NodeSpec spec);
  Output Add(const std::string& name, const std::string& op, const std::vector<Output>& inputs = {},
             const AttrMap& attrs = {});
  Output Const(const std::string& name, const Tensor& value);
  template <class T = double>
  Output Scalar(const std::string& name, T value) {
    return Const(name, Tensor::Scalar<T>(value));
  }
  Output Placeholder(const std::string& name, const PartialShape& shape = PartialShape(), DType dtype = DType::kDouble);
  Node& node(Output value) { return graph.mutable_node(value.node); }
  // Returns null if there is none.
  const Node* Find(const std::string& name) const;
  // Return the names of a node's inputs, in order, and of its control inputs, sorted.
  std::vector<std::string> InputsOf(const std::string& name) const;
  std::vector<std::string> ControlsOf(const std::string& name) const;

  Graph graph;
};

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_TESTING_GRAPH_MAKER_H_
