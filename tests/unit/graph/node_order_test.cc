#include "src/graph/node_order.h"

#include <gtest/gtest.h>

#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using testing::GraphMaker;

TEST(NodeOrder, FollowsDataAndControlEdgesBothWays) {
  GraphMaker g;
  const Output x = g.Placeholder("x");
  const Output left = g.Add("left", "Neg", {x});
  const Output right = g.Add("right", "Neg", {x});
  const Output end = g.Add("end", "NoOp");
  g.node(end).control_inputs = {left.node};
  const Result<std::vector<NodeId>> order = g.graph.TopologicalOrder();
  ASSERT_TRUE(order.ok());
  const NodeId nodes[] = {left.node, right.node};
  const NodeOrder found(g.graph, *order, nodes);
  EXPECT_TRUE(found.IsOrdered(x.node, 0));
  EXPECT_TRUE(found.IsOrdered(x.node, 1));
  EXPECT_TRUE(found.IsOrdered(end.node, 0));
  EXPECT_FALSE(found.IsOrdered(end.node, 1));
  EXPECT_FALSE(found.IsOrdered(right.node, 0));
  EXPECT_FALSE(found.IsOrdered(left.node, 1));
  EXPECT_TRUE(found.IsOrdered(left.node, 0));
}

TEST(NodeOrder, TellsAsManyNodesApartAsItTakes) {
  GraphMaker g;
  std::vector<NodeId> sources;
  std::vector<NodeId> readers;
  for (size_t i = 0; i < NodeOrder::kMost; ++i) {
    const Output source = g.Placeholder("x" + std::to_string(i));
    sources.push_back(source.node);
    readers.push_back(g.Add("y" + std::to_string(i), "Neg", {source}).node);
  }
  const Result<std::vector<NodeId>> order = g.graph.TopologicalOrder();
  ASSERT_TRUE(order.ok());
  const NodeOrder found(g.graph, *order, sources);
  for (size_t i = 0; i < NodeOrder::kMost; ++i) {
    for (size_t j = 0; j < NodeOrder::kMost; ++j) EXPECT_EQ(found.IsOrdered(readers[i], j), i == j);
  }
}

}  // namespace
}  // namespace dfrun
