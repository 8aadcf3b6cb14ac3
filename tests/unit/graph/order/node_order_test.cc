#include "src/graph/order/node_order.h"

#include <gtest/gtest.h>

#include <algorithm>

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
  for (size_t i = 0; i < NodeOrder::kMax; ++i) {
    const Output source = g.Placeholder("x" + std::to_string(i));
    sources.push_back(source.node);
    readers.push_back(g.Add("y" + std::to_string(i), "Neg", {source}).node);
  }
  const Result<std::vector<NodeId>> order = g.graph.TopologicalOrder();
  ASSERT_TRUE(order.ok());
  const NodeOrder found(g.graph, *order, sources);
  for (size_t i = 0; i < NodeOrder::kMax; ++i) {
    for (size_t j = 0; j < NodeOrder::kMax; ++j) EXPECT_EQ(found.IsOrdered(readers[i], j), i == j);
  }
}

class OrderOfChannels : public ::testing::Test {
 protected:
  AttrMap Channel(int64_t number) {
    const std::string device = "/job:worker/task:0/device:cpu:0";
    return {{"tensor_name", "t"}, {"send_device", device}, {"recv_device", device},
            {"channel", number},  {"peer", int64_t{1}},    {"static_shape", false}};
  }
  Output Send(const std::string& name, Output value, int64_t channel) {
    return g.Add(name, "_Send", {value}, Channel(channel));
  }
  Output Recv(const std::string& name, int64_t channel) {
    AttrMap attrs = Channel(channel);
    attrs.Set("tensor_type", DType::kDouble);
    return g.Add(name, "_Recv", {}, attrs);
  }
  GraphMaker g;
};

TEST_F(OrderOfChannels, WhatIsReceivedMayComeOfWhatWasSentBefore) {
  const Output x = g.Placeholder("x");
  const Output early = g.Add("early", "Neg", {Recv("r0", 0)});
  const Output sent = Send("s1", x, 1);
  const Output late = g.Add("late", "Neg", {Recv("r2", 2)});
  const Result<std::vector<NodeId>> order = g.graph.TopologicalOrder();
  ASSERT_TRUE(order.ok());
  const NodeId nodes[] = {x.node};
  const NodeOrder certain(g.graph, *order, nodes);
  const NodeOrder possible(g.graph, *order, nodes, NodeOrder::Ways::kPossible);
  EXPECT_FALSE(certain.IsOrdered(late.node, 0));
  EXPECT_EQ(possible.After(late.node), 1U);
  EXPECT_EQ(possible.After(early.node), 0U);
  EXPECT_EQ(possible.After(sent.node), 1U);
}

// A pass adds a node at the end, and an earlier Send has to wait for it.
TEST_F(OrderOfChannels, ASendStaysBeforeTheRecvsBehindIt) {
  const Output x = g.Placeholder("x");
  const Output sent = Send("s0", g.Add("y", "Neg", {x}), 0);
  const Output received = Recv("r1", 1);
  const Output made = g.Add("made", "Neg", {x});
  g.node(Output{g.graph.Find("y"), 0}).inputs[0] = made;
  const auto position = [](const std::vector<NodeId>& order, Output of) {
    return std::find(order.begin(), order.end(), of.node) - order.begin();
  };
  const Result<std::vector<NodeId>> plain = g.graph.TopologicalOrder();
  const Result<std::vector<NodeId>> kept = PartitionOrder(g.graph);
  ASSERT_TRUE(plain.ok() && kept.ok()) << kept.status().ToString();
  EXPECT_GT(position(*plain, sent), position(*plain, received));
  EXPECT_LT(position(*kept, sent), position(*kept, received));
}

TEST_F(OrderOfChannels, ARingByWayOfAnotherDeviceIsFound) {
  const Output x = g.Placeholder("x");
  const Output y = g.Add("y", "Neg", {x});
  Send("s0", y, 0);
  const Output received = Recv("r1", 1);
  g.node(y).inputs[0] = received;
  EXPECT_TRUE(g.graph.TopologicalOrder().ok());
  EXPECT_EQ(PartitionOrder(g.graph).status().code(), Code::kInternal);
}

}  // namespace
}  // namespace dfrun
