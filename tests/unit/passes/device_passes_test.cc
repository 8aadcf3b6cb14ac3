// The passes of a device on the partitions of a graph that is spread over several devices: the bits must stay the same,
// and no device may wait for a value that waits for its own.
#include <gtest/gtest.h>

#include <random>

#include "src/partition/partition.h"
#include "src/passes/pass.h"
#include "tests/unit/testing/graph_evaluator.h"
#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/plain_device.h"
#include "tests/unit/testing/random_devices.h"
#include "tests/unit/testing/random_tensor.h"

namespace dfrun {
namespace {

constexpr int64_t kSize = 40;  // squares of as many elements as passes ask for
constexpr int kDevices = 3;

// Element-wise nodes, products, their sums and gradients of Relu, with control edges between them.
class RandomNet {
 public:
  explicit RandomNet(uint64_t seed) : random_(seed) {
    for (int i = 0; i < 3; ++i) {
      const std::string name = StrCat("x", i);
      values_.push_back(g_.Placeholder(name, {kSize, kSize}, DType::kFloat));
      feeds_[name] = {testing::RandomNormal<float>(Shape({kSize, kSize}), static_cast<uint32_t>(i))};
    }
    for (int i = 0; i < 60; ++i) Add(StrCat("n", i));
  }
  Graph& graph() { return g_.graph; }
  const testing::GraphEvaluator::Values& feeds() const { return feeds_; }
  // Returns values that no pass removes.
  std::vector<std::string> Watch() {
    std::vector<std::string> names;
    for (int i = 0; i < 8; ++i) {
      names.push_back(StrCat("watched", i));
      g_.Add(names.back(), "Reshape", {Any(), g_.Const(names.back() + "/shape", Tensor::Vector<int32_t>({-1}))});
    }
    return names;
  }

 private:
  Output Any() { return values_[random_() % values_.size()]; }
  Output Product(const std::string& name) { return g_.Add(name, "MatMul", {Any(), Any()}); }

  void Add(const std::string& name) {
    const char* const ops[] = {"Mul", "AddV2", "Sub", "Maximum", "Tanh", "Neg", "Relu"};
    const size_t kind = random_() % 12;
    Output made;
    if (kind < std::size(ops)) {
      std::vector<Output> operands = {Any()};
      if (kind < 4) operands.push_back(Any());
      made = g_.Add(name, ops[kind], operands);
    } else if (kind < 9) {
      made = g_.Add(name, "Tanh", {Product(name + "/product")});
    } else if (kind < 11) {
      made = g_.Add(name, "ReluGrad", {Product(name + "/product"), Any()});
    } else {
      made = g_.Add(name, "AddN", {Product(name + "/a"), Product(name + "/b")});
    }
    if (random_() % 5 == 0) {
      const Output before = Any();
      if (before.node < made.node) g_.graph.AddControlEdge(before.node, made.node);
    }
    values_.push_back(made);
  }

  std::mt19937_64 random_;
  testing::GraphMaker g_;
  std::vector<Output> values_;
  testing::GraphEvaluator::Values feeds_;
};

// Returns the number of nodes that never run, because they wait for each other.
int RunAll(testing::GraphEvaluator& evaluator, const std::vector<Partition>& partitions) {
  int left = 0;
  for (int before = -1; left != before;) {
    before = left;
    left = 0;
    for (const Partition& partition : partitions) {
      const Result<int> rest = evaluator.Run(partition.graph);
      EXPECT_TRUE(rest.ok()) << rest.status().ToString();
      left += rest.ok() ? *rest : 0;
    }
  }
  return left;
}

TEST(DevicePasses, OnPartitionsKeepEveryBitAndNobodyWaiting) {
  const Result<Cluster> cluster = MakeCluster({}, kDevices);
  ASSERT_TRUE(cluster.ok());
  testing::PlainDevice host;
  int fused = 0;
  int sent = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    RandomNet net(seed);
    const std::vector<std::string> watched = net.Watch();
    testing::GraphEvaluator before(net.feeds());
    ASSERT_EQ(*before.Run(net.graph()), 0);
    ASSERT_TRUE(testing::PutOnRandomDevices(net.graph(), *cluster, seed).ok());
    int32_t channels = 0;
    Result<std::vector<Partition>> partitions = PartitionGraph(net.graph(), *cluster, &channels);
    ASSERT_TRUE(partitions.ok()) << partitions.status().ToString();
    for (Partition& partition : *partitions) {
      for (const Pass* pass : DevicePasses("cpu")) {
        const Status status = RunPass(*pass, partition.graph, {KernelRegistry::Builtin(), host});
        ASSERT_TRUE(status.ok()) << status.ToString();
      }
      for (const Node& node : partition.graph.nodes()) {
        fused += node.op->name.starts_with("_Fused") || node.op->name == "_MatMulSum" ? 1 : 0;
        sent += node.op->name == "_Send" ? 1 : 0;
      }
    }
    testing::GraphEvaluator after(net.feeds());
    ASSERT_EQ(RunAll(after, *partitions), 0) << "seed " << seed;
    for (const std::string& name : watched) {
      EXPECT_TRUE(after.values().at(name)[0].Identical(before.values().at(name)[0])) << name << ", seed " << seed;
    }
  }
  EXPECT_GT(fused, 300);
  EXPECT_GT(sent, 1000);
}

// The graph is a -> Send, and b reads a result of it that comes back: a and b must not be fused.
TEST(DevicePasses, WhatComesBackFromAnotherDeviceIsNoPartOfWhatWentThere) {
  testing::GraphMaker g;
  const auto on = [&](int task, Output output) {
    g.node(output).device = StrCat("/job:worker/task:", task, "/device:cpu:0");
    return output;
  };
  const Output x = on(0, g.Placeholder("x", {kSize, kSize}, DType::kFloat));
  const Output a = on(0, g.Add("a", "Neg", {x}));
  const Output away = on(1, g.Add("away", "MatMul", {a, a}));
  on(0, g.Add("b", "Mul", {on(0, g.Add("a1", "Tanh", {a})), away}));
  int32_t channels = 0;
  Result<std::vector<Partition>> partitions = PartitionGraph(g.graph, *MakeCluster({}, 2), &channels);
  ASSERT_TRUE(partitions.ok()) << partitions.status().ToString();
  testing::PlainDevice host;
  ASSERT_TRUE(
      RunPass(*FindPass("cpu/fuse_elementwise"), (*partitions)[0].graph, {KernelRegistry::Builtin(), host}).ok());
  const Graph& first = (*partitions)[0].graph;
  EXPECT_EQ(first.node(first.Find("a1")).op->name, "_FusedElementwise");
  EXPECT_EQ(first.node(first.Find("b")).op->name, "Mul");
}

}  // namespace
}  // namespace dfrun
