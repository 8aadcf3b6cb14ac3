// The pass that delays Recvs: which it delays, which it does not, and that no node then waits for ever.
#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "src/passes/pass.h"
#include "src/session/session.h"
#include "tests/unit/session/rank_threads.h"
#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/plain_device.h"
#include "tests/unit/testing/random_tensor.h"
#include "tests/unit/testing/waits.h"

namespace dfrun {
namespace {

using testing::GraphMaker;
using testing::NobodyWaitsForEver;

Status Delay(std::vector<Partition>& partitions) {
  static testing::PlainDevice host;
  std::vector<Graph*> graphs;
  for (Partition& partition : partitions) graphs.push_back(&partition.graph);
  return RunPartitionPass(*FindPass("late_receives"), graphs, {KernelRegistry::Builtin(), host});
}

std::string DeviceOf(int task) {
  return StrCat("/job:worker/task:", task, "/device:cpu:0");
}

int CountDelayed(const std::vector<Partition>& partitions) {
  int count = 0;
  for (const Partition& partition : partitions) {
    for (const Node& node : partition.graph.nodes()) count += IsRecv(node) && !node.control_inputs.empty() ? 1 : 0;
  }
  return count;
}

// Products one after the other on task 0, by matrices of task 1.
class LateReceives : public ::testing::Test {
 protected:
  static constexpr int kLayers = 8;

  Output On(int task, Output output) {
    g_.node(output).device = DeviceOf(task);
    return output;
  }
  Output Weights(int i, int64_t size) {
    const std::string name = StrCat("w", i);
    return On(1, g_.Add(name, "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape{size, size}}}));
  }
  Output Layers(int64_t rows, int64_t size) {
    Output x = On(0, g_.Placeholder("x", {rows, size}, DType::kFloat));
    for (int i = 0; i < kLayers; ++i) {
      weights_.push_back(Weights(i, size));
      x = On(0, g_.Add(StrCat("product", i), "MatMul", {x, weights_.back()}));
      x = On(0, g_.Add(StrCat("h", i), "Tanh", {x}));
    }
    return x;
  }
  void Cut() {
    int32_t channels = 0;
    Result<std::vector<Partition>> partitions = PartitionGraph(g_.graph, *MakeCluster({}, 2), &channels);
    ASSERT_TRUE(partitions.ok()) << partitions.status().ToString();
    partitions_ = *std::move(partitions);
    const Status status = Delay(partitions_);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_TRUE(NobodyWaitsForEver(partitions_));
  }
  // Returns the nodes that the Recv waits for which a node reads.
  std::vector<std::string> Waits(const std::string& reader, int input = 1) const {
    const Graph& graph = partitions_[0].graph;
    const Node& recv = graph.node(graph.node(graph.Find(reader)).inputs[static_cast<size_t>(input)].node);
    EXPECT_EQ(recv.op->name, "_Recv");
    std::vector<std::string> names;
    for (const NodeId id : recv.control_inputs) names.push_back(graph.node(id).name);
    return names;
  }

  GraphMaker g_;
  std::vector<Output> weights_;
  std::vector<Partition> partitions_;
};

// A product takes 43 ms and a transfer 8.
TEST_F(LateReceives, AMatrixComesWhileTheProductBeforeRuns) {
  Layers(/*rows=*/256, /*size=*/2048);
  Cut();
  using Names = std::vector<std::string>;
  EXPECT_EQ(Waits("product0"), Names());
  EXPECT_EQ(Waits("product1"), Names());  // nothing else ends before it begins
  for (int i = 2; i < kLayers; ++i) {
    EXPECT_EQ(Waits(StrCat("product", i)), Names{StrCat("h", i - 2)}) << i;
  }
  // Nodes still come after those that they wait for.
  for (const Node& node : partitions_[0].graph.nodes()) {
    for (const NodeId control : node.control_inputs) EXPECT_LT(control, node.id) << node.name;
  }
}

TEST_F(LateReceives, SmallValuesAreLeftAlone) {
  Layers(/*rows=*/100'000, /*size=*/128);  // matrices of 64 KiB
  Cut();
  EXPECT_EQ(CountDelayed(partitions_), 0);
}

// A product takes 0.1 ms and a transfer 0.5: only the last Recv can wait for as long as its transfer takes.
TEST_F(LateReceives, WhereTransfersTakeTheTimeTheyBeginAtOnce) {
  Layers(/*rows=*/1, /*size=*/512);
  Cut();
  EXPECT_EQ(CountDelayed(partitions_), 1);
  EXPECT_EQ(Waits("product7").size(), 1);
}

TEST_F(LateReceives, AnUpdateOfWhatIsSentDoesNotWait) {
  Layers(/*rows=*/256, /*size=*/2048);
  // The update waits for the Send of the variable, and nothing else keeps it from running at once.
  const Output change = On(1, g_.Add("change", "Neg", {On(1, g_.Placeholder("d", {2048, 2048}, DType::kFloat))}));
  On(1, g_.Add("update", "AssignAdd", {weights_[5], change}, {{"_after_reads", true}}));
  Cut();
  EXPECT_EQ(Waits("product5"), std::vector<std::string>());
  EXPECT_EQ(Waits("product6"), std::vector<std::string>{"h4"});
}

// An unknown node may enqueue the value that the first products wait for.
TEST_F(LateReceives, NothingWaitsForWhatWaitsForAQueue) {
  const std::vector<DType> components{DType::kFloat};
  const std::vector<PartialShape> shapes{PartialShape{256, 2048}};
  const Output queue =
      On(0, g_.Add("queue", "FIFOQueueV2", {}, {{"component_types", components}, {"shapes", shapes}, {"capacity", 1}}));
  const Output taken = On(0, g_.Add("taken", "QueueDequeueV2", {queue}, {{"component_types", components}}));
  Layers(/*rows=*/256, /*size=*/2048);
  ASSERT_TRUE(g_.graph.SetInput(g_.graph.Find("product2"), 0, taken).ok());
  Cut();
  EXPECT_EQ(CountDelayed(partitions_), 0);
}

TEST_F(LateReceives, GraphsWithConditionalsAreLeftAlone) {
  const Output last = Layers(/*rows=*/256, /*size=*/2048);
  const Output goes = On(0, g_.Placeholder("goes", PartialShape::Scalar(), DType::kBool));
  On(0, g_.Add("either", "Switch", {last, goes}));
  Cut();
  EXPECT_EQ(CountDelayed(partitions_), 0);
}

constexpr int64_t kSize = 320;  // squares of 400 KiB

// Products and element-wise nodes, also of variables, which are updated meanwhile. A reader on another device reads the
// value that was sent before the update, even if the reader comes after it.
class RandomRun {
 public:
  RandomRun(uint64_t seed, const Cluster& cluster) : random_(seed), cluster_(cluster) {
    for (int i = 0; i < 4; ++i) AddVariable(StrCat("v", i));
    values_.push_back(On(Any(), g_.Placeholder("x", {kSize, kSize}, DType::kFloat)));
    for (int i = 0; i < 40; ++i) {
      Add(StrCat("n", i));
      if (i % 8 == 4) AddUpdate(variables_[static_cast<size_t>(i / 8) % variables_.size()]);
    }
  }
  Graph& graph() { return g_.graph; }
  // Returns the values that stay below 1, and those that no other node reads.
  std::vector<std::string> Watched() const {
    std::vector<std::string> names = updates_;
    for (size_t i = values_.size() - 6; i < values_.size(); ++i) names.push_back(g_.graph.node(values_[i].node).name);
    return names;
  }
  std::vector<std::string> Inits() const { return inits_; }

 private:
  struct Variable {
    Output value;
    int task;
    std::vector<NodeId> readers = {};
    bool is_updated = false;
  };
  int Any() { return static_cast<int>(random_() % cluster_.devices.size()); }
  Output On(int task, Output output) {
    g_.node(output).device = cluster_.devices[static_cast<size_t>(task)].name.ToString();
    return output;
  }
  void AddVariable(const std::string& name) {
    const int task = Any();
    const PartialShape shape{kSize, kSize};
    const Output made = On(task, g_.Add(name, "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", shape}}));
    const Tensor first = testing::RandomNormal<float>(Shape({kSize, kSize}), static_cast<uint32_t>(random_()));
    const Output init = On(task, g_.Const(name + "/first", first));
    inits_.push_back(name + "/init");
    On(task, g_.Add(inits_.back(), "Assign", {made, init}));
    variables_.push_back({made, task});
  }
  // Reads a value, and often a variable.
  Output Read(NodeId reader, int task) {
    Variable& variable = variables_[random_() % variables_.size()];
    const bool may_see_either = variable.is_updated && variable.task == task;
    if (random_() % 3 != 0 || may_see_either) return values_[random_() % values_.size()];
    variable.readers.push_back(reader);
    return variable.value;
  }
  void Add(const std::string& name) {
    const NodeId next = g_.graph.num_nodes();
    const int task = Any();
    Output made;
    switch (random_() % 4) {
      case 0:
        made = g_.Add(name, "Tanh", {Read(next, task)});
        break;
      case 1:
        made = g_.Add(name, "AddV2", {Read(next, task), Read(next, task)});
        break;
      default:
        made = On(task, g_.Add(name, "MatMul", {Read(next, task), Read(next, task)}));
        made = g_.Add(name + "/tanh", "Tanh", {made});
    }
    On(task, made);
    if (random_() % 6 == 0) g_.graph.AddControlEdge(values_[random_() % values_.size()].node, made.node);
    values_.push_back(made);
  }
  // Adds an update. Edges put readers on its own device before it, as in a training; only the Send orders readers on
  // other devices.
  void AddUpdate(Variable& variable) {
    if (std::exchange(variable.is_updated, true)) return;
    const std::string name = g_.graph.node(variable.value.node).name + "/update";
    NodeSpec spec;
    spec.name = name;
    spec.op = "AssignSub";
    spec.inputs = {variable.value, values_[random_() % values_.size()]};
    spec.attrs = {{"_after_reads", true}};
    for (const NodeId reader : variable.readers) {
      if (g_.graph.node(reader).device == g_.node(variable.value).device) spec.control_inputs.push_back(reader);
    }
    const Output updated = On(variable.task, g_.Add(std::move(spec)));
    updates_.push_back(name + "/product");
    values_.push_back(On(Any(), g_.Add(updates_.back(), "MatMul", {updated, values_[random_() % values_.size()]})));
  }

  std::mt19937_64 random_;
  const Cluster& cluster_;
  GraphMaker g_;
  std::vector<Output> values_;
  std::vector<Variable> variables_;
  std::vector<std::string> inits_;
  std::vector<std::string> updates_;
};

TEST(LateReceivesOfRandomGraphs, NobodyWaitsForEver) {
  int delayed = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    const Cluster cluster = *MakeCluster({}, 2 + static_cast<int>(seed % 3));
    RandomRun run(seed, cluster);
    int32_t channels = 0;
    Result<std::vector<Partition>> partitions = PartitionGraph(run.graph(), cluster, &channels);
    ASSERT_TRUE(partitions.ok()) << partitions.status().ToString();
    ASSERT_TRUE(NobodyWaitsForEver(*partitions)) << "before the pass, seed " << seed;
    ASSERT_TRUE(Delay(*partitions).ok()) << "seed " << seed;
    EXPECT_TRUE(NobodyWaitsForEver(*partitions)) << "seed " << seed;
    delayed += CountDelayed(*partitions);
  }
  EXPECT_GT(delayed, 500);
}

Result<std::vector<Tensor>> RunSteps(testing::RankThreads& ranks, const RandomRun& run, const Graph& graph,
                                     bool is_late) {
  SessionOptions options;
  if (!is_late) options.without_passes = {"late_receives"};
  DF_ASSIGN(const auto session, Session::Create(ranks.master(), graph.Clone(), options));
  DF_TRY(session->Run({}, {}, run.Inits()).status());
  const Tensor x = testing::RandomNormal<float>(Shape({kSize, kSize}), 1);
  std::vector<Tensor> copies;
  for (int step = 0; step < 3; ++step) {
    DF_ASSIGN(const std::vector<Tensor> values, session->Run({{"x", x}}, run.Watched()));
    for (const Tensor& value : values) {
      DF_ASSIGN(Tensor copy, value.Copy(SystemAllocator()));
      copies.push_back(std::move(copy));
    }
  }
  DF_TRY(session->Close());
  return copies;
}

class LateReceivesOverRanks : public ::testing::TestWithParam<int> {};

TEST_P(LateReceivesOverRanks, GiveTheSameBits) {
  const Cluster cluster = *MakeCluster({}, GetParam());
  testing::RankThreads ranks(GetParam());
  for (uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(StrCat("seed ", seed));
    RandomRun run(seed, cluster);
    const auto early = RunSteps(ranks, run, run.graph(), /*is_late=*/false);
    ASSERT_TRUE(early.ok()) << early.status().ToString();
    const auto late = RunSteps(ranks, run, run.graph(), /*is_late=*/true);
    ASSERT_TRUE(late.ok()) << late.status().ToString();
    for (size_t i = 0; i < early->size(); ++i) EXPECT_TRUE((*late)[i].Identical((*early)[i])) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, LateReceivesOverRanks, ::testing::Values(2, 3, 4));

}  // namespace
}  // namespace dfrun
