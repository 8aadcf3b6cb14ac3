#include "src/executor/capture/capture_partition.h"

#include <algorithm>

#include "src/graph/order/transfer_depth.h"
#include "src/graph/update_gate.h"
#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/plain_device.h"

namespace dfrun::testing {
namespace {

class CapturePartitionTest : public ::testing::Test {
 protected:
  Output Recv(const std::string& name, int transfer_depth) {
    AttrMap attrs = Channel(transfer_depth);
    attrs.Set("tensor_type", DType::kDouble);
    return maker_.Add(name, "_Recv", {}, attrs);
  }
  Output Send(const std::string& name, Output value, int transfer_depth) {
    return maker_.Add(name, "_Send", {value}, Channel(transfer_depth));
  }
  static AttrMap Channel(int transfer_depth) {
    return {{"tensor_name", "x"},
            {"send_device", "a"},
            {"recv_device", "b"},
            {kTransferDepthAttr, int64_t{transfer_depth}}};
  }
  // Adds two nodes of work, which are enough for a captured subgraph.
  Output Work(const std::string& name, const std::vector<Output>& inputs) {
    return maker_.Add(name, "AddN", {maker_.Add(name + "_first", "AddN", inputs), inputs[0]});
  }

  void Cut() {
    Result<CapturePartition> cut = PartitionForCapture(maker_.graph, device_, KernelRegistry::Builtin());
    ASSERT_TRUE(cut.ok()) << cut.status().ToString();
    cut_ = *std::move(cut);
  }
  // Returns the subgraph that has the node; -1: none.
  int SubgraphOf(const std::string& name) const {
    if (cut_.graph.Find(name) >= 0) return -1;
    for (size_t i = 0; i < cut_.subgraphs.size(); ++i) {
      if (cut_.subgraphs[i].graph.Find(name) >= 0) return static_cast<int>(i);
    }
    ADD_FAILURE() << name << " is gone";
    return -2;
  }
  std::string WhyNot(const std::string& name) const {
    const auto found = std::find_if(cut_.rest.begin(), cut_.rest.end(), [&](const auto& r) { return r.node == name; });
    return found == cut_.rest.end() ? "" : found->why;
  }

  PlainDevice device_;
  GraphMaker maker_;
  CapturePartition cut_{Graph(), {}, {}};
};

TEST_F(CapturePartitionTest, WhatComesInAndGoesOutIsOneSubgraph) {
  const Output one = Work("one", {Recv("x", 1), maker_.Scalar("c", 2.0)});
  const Output two = Work("two", {Recv("y", 1), one});
  Send("send", two, 2);
  Cut();
  ASSERT_EQ(cut_.subgraphs.size(), 1);
  EXPECT_EQ(SubgraphOf("one"), 0);
  EXPECT_EQ(SubgraphOf("two"), 0);
  EXPECT_EQ(SubgraphOf("c"), 0) << "a constant that no other node reads";
  EXPECT_EQ(SubgraphOf("send"), -1);
  EXPECT_EQ(cut_.subgraphs[0].uploaded.size(), 2);
  const Node& subgraph = cut_.graph.node(cut_.graph.Find(cut_.subgraphs[0].name));
  EXPECT_EQ(subgraph.num_inputs(), 2);
  EXPECT_EQ(subgraph.num_outputs(), 1);
  EXPECT_EQ(cut_.graph.node(cut_.graph.Find("send")).inputs[0], (Output{subgraph.id, 0}));
}

// The gradient's mean comes back from another device: its readers cannot be launched together with the Send of the
// gradient.
TEST_F(CapturePartitionTest, WhatMayComeBackIsBehindWhatIsSent) {
  const Output gradient = Work("gradient", {Recv("batch", 1)});
  Send("send", gradient, 2);
  Work("update", {Recv("mean", 3)});
  Work("other", {Recv("batch_2", 1)});
  Cut();
  ASSERT_EQ(cut_.subgraphs.size(), 2);
  EXPECT_EQ(SubgraphOf("gradient"), 0);
  EXPECT_EQ(SubgraphOf("other"), 0);
  EXPECT_EQ(SubgraphOf("update"), 1);
}

// Two devices send each other values: no subgraph may wait for one of the other device that waits for it.
TEST_F(CapturePartitionTest, WhatIsSentDoesNotWaitForWhatIsSentAsFar) {
  Send("send", Work("mine", {Recv("x", 1)}), 2);
  Work("both", {Recv("theirs", 2)});
  Cut();
  ASSERT_EQ(cut_.subgraphs.size(), 2);
  EXPECT_NE(SubgraphOf("mine"), SubgraphOf("both"));
}

TEST_F(CapturePartitionTest, ANodeWithAStatePartsItsReaders) {
  const Output before = Work("before", {Recv("x", 1)});
  const Output shape = maker_.Const("shape", Tensor::Vector<int32_t>({3}));
  const Output random = maker_.Add("random", "RandomUniform", {shape}, {{"dtype", DType::kDouble}});
  maker_.graph.AddControlEdge(before.node, random.node);
  Work("after", {random, before});
  Work("beside", {before});
  Cut();
  ASSERT_EQ(cut_.subgraphs.size(), 2);
  EXPECT_EQ(SubgraphOf("random"), -1);
  EXPECT_EQ(WhyNot("random"), "it has a state, which the host keeps");
  EXPECT_EQ(SubgraphOf("beside"), SubgraphOf("before"));
  EXPECT_NE(SubgraphOf("after"), SubgraphOf("before"));
  // The random node runs after the subgraph and before its reader.
  const Node& random_node = cut_.graph.node(cut_.graph.Find("random"));
  EXPECT_EQ(random_node.control_inputs, std::vector<NodeId>({cut_.graph.Find(cut_.subgraphs[0].name)}));
}

TEST_F(CapturePartitionTest, UpdatesThatTheHostLeavesOutAreApart) {
  const Output w = maker_.Add("w", "VariableV2", {}, {{"dtype", DType::kDouble}, {"shape", PartialShape(Shape({}))}});
  const Output x = Recv("x", 1);
  const Output y = Work("y", {x, w});
  const Output first = maker_.Add("first", "AssignAdd", {w, y}, {{kGatedAttr, true}});
  const Output second = maker_.Add("second", "AssignAdd", {w, x}, {{kGatedAttr, true}});
  maker_.graph.AddControlEdge(first.node, second.node);
  Cut();
  ASSERT_EQ(cut_.subgraphs.size(), 2);
  EXPECT_EQ(SubgraphOf("first"), SubgraphOf("second"));
  EXPECT_NE(SubgraphOf("first"), SubgraphOf("y"));
  EXPECT_TRUE(IsGated(cut_.graph.node(cut_.graph.Find(cut_.subgraphs[static_cast<size_t>(SubgraphOf("first"))].name))));
  EXPECT_FALSE(IsGated(cut_.graph.node(cut_.graph.Find(cut_.subgraphs[static_cast<size_t>(SubgraphOf("y"))].name))));
  for (const SubgraphDraft& subgraph : cut_.subgraphs)
    EXPECT_GE(subgraph.graph.Find("w"), 0) << "each has the variable";
}

TEST_F(CapturePartitionTest, OneNodeIsNoSubgraph) {
  Send("send", maker_.Add("alone", "Neg", {Recv("x", 1)}), 2);
  Cut();
  EXPECT_TRUE(cut_.subgraphs.empty());
  EXPECT_EQ(SubgraphOf("alone"), -1);
}

TEST_F(CapturePartitionTest, ConditionalsAreNotRecorded) {
  const Output x = Recv("x", 1);
  const Output is_true = maker_.Const("true", Tensor::Scalar(true));
  const Output chosen = maker_.Add("switch", "Switch", {x, is_true});
  Work("y", {x, Output{chosen.node, 1}});
  Cut();
  EXPECT_TRUE(cut_.subgraphs.empty());
}

}  // namespace
}  // namespace dfrun::testing
