// The costs of nodes, for tests that compare them with computation by hand.
#ifndef DFRUN_TESTS_UNIT_TESTING_NODE_COSTS_H_
#define DFRUN_TESTS_UNIT_TESTING_NODE_COSTS_H_

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "src/graph/node_cost.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun::testing {

// Nodes of one graph, in which their shapes are inferred.
class NodeCosts {
 public:
  Output Floats(const PartialShape& shape) { return maker_.Placeholder(NextName(), shape, DType::kFloat); }
  Output Ints(const PartialShape& shape) { return maker_.Placeholder(NextName(), shape, DType::kInt32); }
  Output IntVector(std::initializer_list<int32_t> values) {
    return maker_.Const(NextName(), Tensor::Vector<int32_t>(values));
  }
  Output Add(const std::string& op, const std::vector<Output>& inputs, const AttrMap& attrs = {}) {
    return maker_.Add(NextName(), op, inputs, attrs);
  }
  std::optional<OpCost> Of(const std::string& op, const std::vector<Output>& inputs, const AttrMap& attrs = {}) {
    const Output made = Add(op, inputs, attrs);
    return NodeCost(maker_.graph, maker_.graph.node(made.node));
  }
  double FlopsOf(const std::string& op, const std::vector<Output>& inputs, const AttrMap& attrs = {}) {
    const std::optional<OpCost> cost = Of(op, inputs, attrs);
    EXPECT_TRUE(cost.has_value()) << op;
    return cost ? cost->flops : -1;
  }

 private:
  std::string NextName() { return "n" + std::to_string(next_++); }

  GraphMaker maker_;
  int next_ = 0;
};

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_TESTING_NODE_COSTS_H_
