#include "src/partition/partition.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "src/partition/message_nodes.h"
#include "src/placement/placer.h"
#include "tests/unit/testing/graph_evaluator.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using testing::GraphEvaluator;
using testing::GraphMaker;

std::string DeviceOfRank(int rank) {
  return StrCat("/job:worker/task:", rank, "/device:cpu:0");
}

class PartitionTest : public ::testing::Test {
 protected:
  GraphMaker m;
  int32_t next_channel = 0;

  Output On(int rank, const std::string& name, const std::string& op, std::vector<Output> inputs = {},
            AttrMap attrs = {}, std::vector<NodeId> control = {}) {
    NodeSpec spec;
    spec.name = name;
    spec.op = op;
    spec.inputs = std::move(inputs);
    spec.attrs = std::move(attrs);
    spec.control_inputs = std::move(control);
    spec.device = DeviceOfRank(rank);
    return m.Add(std::move(spec));
  }
  Output ConstOn(int rank, const std::string& name, double value = 1) {
    return On(rank, name, "Const", {}, {{"dtype", DType::kDouble}, {"value", Tensor::Scalar(value)}});
  }
  // Adds a value that must be sent to its readers.
  Output ValueOn(int rank, const std::string& name) {
    return On(rank, name, "Placeholder", {}, {{"dtype", DType::kDouble}, {"shape", PartialShape::Scalar()}});
  }
  Output VariableOn(int rank, const std::string& name) {
    return On(rank, name, "VariableV2", {}, {{"dtype", DType::kDouble}, {"shape", PartialShape::Scalar()}});
  }
  std::vector<Partition> Cut(int ranks) {
    Result<std::vector<Partition>> parts = PartitionGraph(m.graph, *MakeCluster({}, ranks), &next_channel);
    EXPECT_TRUE(parts.ok()) << parts.status().ToString();
    return parts.ok() ? *std::move(parts) : std::vector<Partition>();
  }
  Status Error(int ranks) { return PartitionGraph(m.graph, *MakeCluster({}, ranks), &next_channel).status(); }
};

std::vector<const Node*> NodesOf(const Graph& graph, const std::string& op) {
  std::vector<const Node*> nodes;
  for (const Node& node : graph.nodes()) {
    if (node.op->name == op) nodes.push_back(&node);
  }
  return nodes;
}
int64_t Channel(const Node& node) {
  return *node.attrs.Get<int64_t>("channel");
}

// A float32 value with a mark at its source is cut to 16 bits once, whoever reads it elsewhere, and not for local
// readers.
TEST_F(PartitionTest, MarkedValuesTravelCompressed) {
  const PartialShape shape({3});
  const Output marked =
      On(0, "x", "Placeholder", {}, {{"dtype", DType::kFloat}, {"shape", shape}, {"_compress", true}});
  const Output other = On(0, "y", "Placeholder", {}, {{"dtype", DType::kFloat}, {"shape", shape}});
  const Output wide = On(0, "z", "Placeholder", {}, {{"dtype", DType::kDouble}, {"shape", shape}, {"_compress", true}});
  On(0, "here", "Neg", {marked});
  for (int rank : {1, 2}) {
    for (const auto& [name, value] : {std::pair{"marked", marked}, {"other", other}, {"wide", wide}}) {
      On(rank, StrCat(name, "_on_", rank), "Neg", {value});
    }
  }
  const std::vector<Partition> parts = Cut(3);
  ASSERT_EQ(parts.size(), 3U);
  ASSERT_EQ(NodesOf(parts[0].graph, "_Compress").size(), 1U);
  EXPECT_EQ(parts[0].graph.node(parts[0].graph.Find("here")).inputs[0].node, parts[0].graph.Find("x"));
  for (const Partition* part : {&parts[1], &parts[2]}) {
    const std::vector<const Node*> restored = NodesOf(part->graph, "Cast");
    ASSERT_EQ(restored.size(), 1U);
    const Node& recv = part->graph.node(restored[0]->inputs[0].node);
    EXPECT_EQ(recv.op->name, "_Recv");
    EXPECT_EQ(recv.output_types[0].dtype, DType::kBfloat16);
    const Node& reader = part->graph.node(part->graph.Find(StrCat("marked_on_", part->rank)));
    EXPECT_EQ(reader.inputs[0].node, restored[0]->id);
    EXPECT_TRUE(RestoresMessage(part->graph, *restored[0]));
  }
  for (const Partition& part : parts) {
    for (const Node& node : part.graph.nodes()) EXPECT_EQ(IsOfMessage(node), m.graph.Find(node.name) < 0) << node.name;
  }
}

TEST_F(PartitionTest, CompressionMayBeForAllRanksOrHosts) {
  const Output x = On(0, "x", "Placeholder", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({3})}});
  for (int rank : {1, 2}) On(rank, StrCat("y_", rank), "Neg", {x});
  const auto casts = [&](WireCompression compression, int rank) {
    int32_t channel = 0;
    const PartitionOptions options{.compression = compression, .hosts = {"a", "a", "b"}};
    const auto parts = PartitionGraph(m.graph, *MakeCluster({}, 3), &channel, options);
    return parts.ok() ? NodesOf((*parts)[static_cast<size_t>(rank)].graph, "Cast").size() : 99U;
  };
  for (int rank : {1, 2}) {
    EXPECT_EQ(casts(WireCompression::kNone, rank), 0U);
    EXPECT_EQ(casts(WireCompression::kRanks, rank), 1U);
    EXPECT_EQ(casts(WireCompression::kHosts, rank), rank == 2 ? 1U : 0U);
  }
}

TEST_F(PartitionTest, OneDeviceIsLeftAlone) {
  On(0, "b", "Neg", {ConstOn(0, "a")});
  const std::vector<Partition> parts = Cut(1);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].graph.num_nodes(), 2);
  EXPECT_EQ(next_channel, 0);
}

TEST_F(PartitionTest, AnEdgeBecomesASendAndARecvThatKnowEachOther) {
  next_channel = 40;
  On(1, "b", "Neg", {ValueOn(0, "a")});
  const std::vector<Partition> parts = Cut(3);  // rank 2 has nothing to do
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].rank, 0);
  EXPECT_EQ(parts[0].device, DeviceOfRank(0));
  EXPECT_EQ(parts[1].rank, 1);
  const Node& send = *NodesOf(parts[0].graph, "_Send").at(0);
  const Node& recv = *NodesOf(parts[1].graph, "_Recv").at(0);
  EXPECT_EQ(send.name, "a/_Send_40");
  EXPECT_EQ(recv.name, "a/_Recv_40");
  EXPECT_EQ(Channel(send), 40);
  EXPECT_EQ(Channel(recv), 40);
  EXPECT_EQ(*send.attrs.Get<int64_t>("peer"), 1);
  EXPECT_EQ(*recv.attrs.Get<int64_t>("peer"), 0);
  for (const Node* end : {&send, &recv}) {
    EXPECT_EQ(*end->attrs.Get<std::string>("tensor_name"), "a");
    EXPECT_EQ(*end->attrs.Get<std::string>("send_device"), DeviceOfRank(0));
    EXPECT_EQ(*end->attrs.Get<std::string>("recv_device"), DeviceOfRank(1));
    EXPECT_TRUE(*end->attrs.Get<bool>("static_shape"));
    EXPECT_EQ(*end->attrs.Get<PartialShape>("shape"), PartialShape::Scalar());
  }
  EXPECT_EQ(recv.output_types[0].dtype, DType::kDouble);
  EXPECT_EQ(next_channel, 41);
}

TEST_F(PartitionTest, OneChannelATensorAndDestination) {
  const Output a = ValueOn(0, "a");
  for (int i = 0; i < 5; ++i) On(1, StrCat("b", i), "Neg", {a});
  On(2, "c", "Add", {a, a});
  const std::vector<Partition> parts = Cut(3);
  EXPECT_EQ(NodesOf(parts[0].graph, "_Send").size(), 2U);
  EXPECT_EQ(NodesOf(parts[1].graph, "_Recv").size(), 1U);
  EXPECT_EQ(NodesOf(parts[2].graph, "_Recv").size(), 1U);
}

TEST_F(PartitionTest, ShapesThatAreNotKnownAndStringsTravelWithAHeader) {
  const Output x = On(0, "x", "Placeholder", {}, {{"dtype", DType::kDouble}, {"shape", PartialShape{-1}}});
  const Output s = On(0, "s", "Placeholder", {}, {{"dtype", DType::kString}, {"shape", PartialShape{2}}});
  On(1, "b", "Identity", {x});
  On(1, "c", "Identity", {s});
  const std::vector<Partition> parts = Cut(2);
  for (const Node* send : NodesOf(parts[0].graph, "_Send")) EXPECT_FALSE(*send->attrs.Get<bool>("static_shape"));
}

TEST_F(PartitionTest, ControlEdgesShareOneMessage) {
  const Output a = ConstOn(0, "a");
  for (int i = 0; i < 3; ++i) On(1, StrCat("b", i), "NoOp", {}, {}, {a.node});
  const std::vector<Partition> parts = Cut(2);
  const std::vector<const Node*> sends = NodesOf(parts[0].graph, "_Send");
  ASSERT_EQ(sends.size(), 1U);
  EXPECT_EQ(*sends[0]->attrs.Get<std::string>("tensor_name"), "^a");
  EXPECT_TRUE(*sends[0]->attrs.Get<bool>("static_shape"));
  EXPECT_EQ(sends[0]->control_inputs, std::vector<NodeId>{parts[0].graph.Find("a")});
  const std::vector<const Node*> recvs = NodesOf(parts[1].graph, "_Recv");
  ASSERT_EQ(recvs.size(), 1U);
  for (const Node* waiting : NodesOf(parts[1].graph, "NoOp")) {
    EXPECT_EQ(waiting->control_inputs, std::vector<NodeId>{recvs[0]->id});
  }
}

TEST_F(PartitionTest, RefsAreSentByValue) {
  On(1, "b", "Neg", {VariableOn(0, "v")});
  const std::vector<Partition> parts = Cut(2);
  const Node& send = *NodesOf(parts[0].graph, "_Send").at(0);
  EXPECT_FALSE(send.input_types[0].is_ref);
  EXPECT_FALSE(NodesOf(parts[1].graph, "_Recv").at(0)->output_types[0].is_ref);
}

TEST_F(PartitionTest, UpdatesMarkedAfterReadsWaitForSendsInPlaceOfRemoteReaders) {
  const Output v = VariableOn(0, "v");
  const Output near = On(0, "near", "Neg", {v});
  const Output far = On(1, "far", "Neg", {v});
  const Output sum = On(0, "sum", "Add", {near, far});
  On(0, "update", "AssignSub", {v, sum}, {{"_after_reads", true}}, {near.node, far.node});
  const std::vector<Partition> parts = Cut(2);
  const Graph& home = parts[0].graph;
  ASSERT_EQ(NodesOf(home, "_Send").size(), 1U);
  const Node& update = home.node(home.Find("update"));
  const std::vector<NodeId> wanted = {NodesOf(home, "_Send")[0]->id, home.Find("near")};
  EXPECT_EQ(std::set<NodeId>(update.control_inputs.begin(), update.control_inputs.end()),
            std::set<NodeId>(wanted.begin(), wanted.end()));
  EXPECT_EQ(NodesOf(home, "_Recv").size(), 1U);  // receives far's value; nothing for its control edge
}

TEST_F(PartitionTest, UpdatesWithoutTheMarkKeepTheirControlEdges) {
  const Output v = VariableOn(0, "v");
  const Output far = On(1, "far", "Neg", {v});
  On(0, "update", "AssignSub", {v, ConstOn(0, "one")}, {}, {far.node});
  const std::vector<Partition> parts = Cut(2);
  EXPECT_EQ(NodesOf(parts[0].graph, "_Recv").size(), 1U);
  EXPECT_EQ(parts[0].graph.node(parts[0].graph.Find("update")).control_inputs,
            std::vector<NodeId>{NodesOf(parts[0].graph, "_Recv")[0]->id});
}

TEST_F(PartitionTest, ConstsAreCopiedToTheirReaders) {
  const Output a = ConstOn(0, "a");
  On(1, "b", "Neg", {a});
  On(1, "c", "Add", {a, a});
  const std::vector<Partition> parts = Cut(2);
  EXPECT_EQ(next_channel, 0);
  EXPECT_EQ(parts[1].graph.num_nodes(), 3);
  const Node& copy = parts[1].graph.node(parts[1].graph.Find("a"));
  EXPECT_EQ(copy.device, DeviceOfRank(1));
  EXPECT_EQ(parts[1].graph.ConstantValue({copy.id, 0})->scalar<double>(), 1.0);
}

TEST_F(PartitionTest, NamesThatAreTakenAreAvoided) {
  const Output a = ValueOn(0, "a");
  On(1, "b", "Neg", {a});
  ConstOn(0, "a/_Send_0");
  ConstOn(1, "a/_Recv_0");
  const std::vector<Partition> parts = Cut(2);
  EXPECT_EQ(NodesOf(parts[0].graph, "_Send").at(0)->name, "a/_Send_0_1");
}

TEST_F(PartitionTest, NodesMustBeOnDevicesOfTheCluster) {
  On(3, "a", "NoOp");
  const Status status = Error(2);
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_NE(status.message().find("node 'a'"), std::string::npos) << status.message();
}

TEST_F(PartitionTest, AVariableCannotBeUpdatedFromAnotherDevice) {
  On(1, "update", "Assign", {VariableOn(0, "v"), ConstOn(1, "one")});
  const Status status = Error(2);
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_NE(status.message().find("node 'update'"), std::string::npos) << status.message();
}

TEST_F(PartitionTest, ValuesBehindASwitchMayBeDeadAndTravelWithAHeader) {
  const Output x = ValueOn(0, "x");
  const Output pred = On(0, "pred", "Placeholder", {}, {{"dtype", DType::kBool}, {"shape", PartialShape::Scalar()}});
  const Output branch = On(0, "branch", "Switch", {x, pred});
  const Output taken = On(1, "taken", "Neg", {{branch.node, 1}});
  On(0, "join", "Merge", {{branch.node, 0}, taken});
  On(1, "plain", "Neg", {x});
  std::map<std::string, bool> can_be_dead;
  for (const Partition& part : Cut(2)) {
    for (const Node* recv : NodesOf(part.graph, "_Recv")) {
      can_be_dead[*recv->attrs.Get<std::string>("tensor_name")] = *recv->attrs.Get<bool>("can_be_dead");
      EXPECT_NE(*recv->attrs.Get<bool>("can_be_dead"), *recv->attrs.Get<bool>("static_shape")) << recv->name;
    }
  }
  EXPECT_EQ(can_be_dead, (std::map<std::string, bool>{{"branch:1", true}, {"taken", true}, {"x", false}}));
}

// A random graph of data and control edges, on random ranks.
class RandomPartitionTest : public PartitionTest, public ::testing::WithParamInterface<int> {
 protected:
  void Build(int ranks, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Output> values;
    for (int i = 0; i < 3; ++i) values.push_back(ConstOn(static_cast<int>(random() % ranks), StrCat("c", i), i + 0.5));
    for (int i = 0; i < 80; ++i) {
      const char* ops[] = {"Add", "Sub", "Mul", "Neg"};
      const char* op = ops[random() % 4];
      std::vector<Output> inputs = {values[random() % values.size()]};
      if (op != ops[3]) inputs.push_back(values[random() % values.size()]);
      std::vector<NodeId> control;
      for (uint64_t k = random() % 3; k > 0; --k) control.push_back(values[random() % values.size()].node);
      values.push_back(On(static_cast<int>(random() % ranks), StrCat("n", i), op, inputs, {}, control));
    }
  }
};

using Edge = std::tuple<std::string, int32_t, std::string, int>;  // source, port, reader, input; -1: control

std::multiset<Edge> EdgesOf(const Graph& graph) {
  std::multiset<Edge> edges;
  for (const Node& node : graph.nodes()) {
    for (int i = 0; i < node.num_inputs(); ++i) {
      edges.emplace(graph.node(node.inputs[i].node).name, node.inputs[i].port, node.name, i);
    }
    for (NodeId id : node.control_inputs) edges.emplace(graph.node(id).name, -1, node.name, -1);
  }
  return edges;
}

// Returns the edges of the parts, with each pair of a Send and a Recv replaced by the edge that it stands for.
std::multiset<Edge> EdgesOf(const std::vector<Partition>& parts) {
  std::map<int64_t, std::pair<std::string, int32_t>> sent;  // by channel
  for (const Partition& part : parts) {
    for (const Node* send : NodesOf(part.graph, "_Send")) {
      const bool is_control = !send->control_inputs.empty();
      const NodeId source = is_control ? send->control_inputs[0] : send->inputs[0].node;
      EXPECT_TRUE(
          sent.emplace(Channel(*send), std::pair(part.graph.node(source).name, is_control ? -1 : send->inputs[0].port))
              .second);
    }
  }
  std::multiset<Edge> edges;
  for (const Partition& part : parts) {
    for (const Edge& edge : EdgesOf(part.graph)) {
      const Node& source = part.graph.node(part.graph.Find(std::get<0>(edge)));
      const Node& reader = part.graph.node(part.graph.Find(std::get<2>(edge)));
      if (reader.op->name == "_Send") continue;
      if (source.op->name != "_Recv") {
        edges.insert(edge);
        continue;
      }
      const auto& [name, port] = sent.at(Channel(source));
      edges.emplace(name, port, reader.name, std::get<3>(edge));
    }
  }
  return edges;
}

TEST_P(RandomPartitionTest, EveryEdgeIsKeptOnce) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    m = GraphMaker();
    Build(GetParam(), seed);
    EXPECT_EQ(EdgesOf(Cut(GetParam())), EdgesOf(m.graph)) << "seed " << seed;
  }
}

TEST_P(RandomPartitionTest, PartsComputeWhatTheWholeComputes) {
  m = GraphMaker();
  Build(GetParam(), 99);
  GraphEvaluator whole;
  ASSERT_EQ(*whole.Run(m.graph), 0);
  GraphEvaluator cut;
  const std::vector<Partition> parts = Cut(GetParam());
  int left = 1;
  for (int round = 0; left > 0 && round < 200; ++round) {
    left = 0;
    for (const Partition& part : parts) {
      const Result<int> waiting = cut.Run(part.graph);
      ASSERT_TRUE(waiting.ok()) << waiting.status().ToString();
      left += *waiting;
    }
  }
  ASSERT_EQ(left, 0);
  for (const Node& node : m.graph.nodes()) {
    EXPECT_TRUE(cut.values().at(node.name)[0].Identical(whole.values().at(node.name)[0])) << node.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, RandomPartitionTest, ::testing::Values(1, 2, 3));

// The devices come from placement rules rather than from the test.
TEST_F(PartitionTest, WhatThePlacerPlacesCanBeCut) {
  const Output v = m.Add("v", "VariableV2", {}, {{"dtype", DType::kDouble}, {"shape", PartialShape{2}}});
  m.node(v).device = "/task:1";
  const Output read = m.Add("read", "Identity", {v});
  m.Add("sum", "Add", {read, m.Const("c", Tensor::Vector<double>({1, 2}))});
  ASSERT_TRUE(PlaceGraph(m.graph, *MakeCluster({}, 2), KernelRegistry::Builtin()).ok());
  const std::vector<Partition> parts = Cut(2);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_GE(parts[1].graph.Find("read"), 0);
  EXPECT_GE(parts[0].graph.Find("sum"), 0);
}

}  // namespace
}  // namespace dfrun
