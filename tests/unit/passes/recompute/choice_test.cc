#include "src/passes/recompute/choice.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "src/graph/order/ancestors.h"
#include "src/graph/order/live_values.h"
#include "src/passes/recompute/clones.h"
#include "tests/unit/passes/recompute/deep_net.h"

namespace dfrun {
namespace {

using testing::DeepNet;

int64_t PeakOf(const DeepNet& net, const Graph& graph) {
  AncestorWalk walk(graph);
  for (const Output output : net.wanted) walk.Add(output.node);
  while (const Node* node = walk.Next()) walk.AddSources(*node);
  return LiveBytesOf(graph, RunOrder(graph, walk.added()), {.kept = net.wanted}).total();
}

struct Outcome {
  int64_t peak_bytes;
  int64_t clones;
};

Outcome Choose(int64_t limit_bytes, const DeepNet& net, const GradientStep& step) {
  const Result<std::vector<bool>> chosen = ChooseRecomputed(net.m.graph, step, limit_bytes);
  EXPECT_TRUE(chosen.ok()) << chosen.status().ToString();
  Graph graph = net.m.graph.Clone();
  const Result<std::vector<NodeId>> cloned = CloneForGradients(step, *chosen, graph);
  EXPECT_TRUE(cloned.ok()) << cloned.status().ToString();
  return {PeakOf(net, graph), static_cast<int64_t>(cloned->size())};
}

TEST(ChooseRecomputed, ADeepNetNeedsHalf) {
  DeepNet net(32);
  const GradientStep step = net.Differentiate();
  const int64_t kept = PeakOf(net, net.m.graph);
  EXPECT_GE(kept, 32 * DeepNet::kValueBytes);
  const Outcome outcome = Choose(0, net, step);
  EXPECT_LE(outcome.peak_bytes, kept / 2);
  EXPECT_GT(outcome.clones, 0);
  EXPECT_LT(outcome.clones, 2 * 32);  // not every layer's two nodes
}

TEST(ChooseRecomputed, ALimitAsksForNoMoreThanItNeeds) {
  DeepNet net(32);
  const GradientStep step = net.Differentiate();
  const int64_t kept = PeakOf(net, net.m.graph);
  EXPECT_EQ(Choose(kept, net, step).clones, 0);
  const int64_t limit = kept * 3 / 4;
  const Outcome some = Choose(limit, net, step);
  EXPECT_LE(some.peak_bytes, limit);
  EXPECT_GT(some.clones, 0);
  EXPECT_LT(some.clones, Choose(0, net, step).clones + 1);
  const Outcome least = Choose(1, net, step);
  EXPECT_LE(least.peak_bytes, some.peak_bytes);
}

TEST(ChooseRecomputed, AShallowNetIsLeftAsItIs) {
  DeepNet net(1);
  const GradientStep step = net.Differentiate();
  EXPECT_EQ(Choose(0, net, step).clones, 0);
}

// A comparison takes less to keep than the draw that it is made of, or the numbers that it becomes.
TEST(ChooseRecomputed, TheSmallestFormOfAMaskIsKept) {
  DeepNet net(1);
  const Output shape = net.m.Const("shape", Tensor::Vector<int32_t>({DeepNet::kRows, DeepNet::kWidth}));
  for (int i = 0; i < 8; ++i) {
    const std::string number = std::to_string(i);
    const Output noise = net.m.Add("noise" + number, "RandomUniform", {shape}, {{"dtype", DType::kFloat}});
    const Output is_kept = net.m.Add("is_kept" + number, "GreaterEqual", {noise, net.m.Scalar("half" + number, 0.5F)});
    const Output mask = net.m.Add("mask" + number, "Cast", {is_kept}, {{"DstT", DType::kFloat}});
    net.last = net.m.Add("masked" + number, "Mul", {net.last, mask});
    net.AddLayer();
  }
  const GradientStep step = net.Differentiate();
  const Result<std::vector<bool>> chosen = ChooseRecomputed(net.m.graph, step, 0);
  ASSERT_TRUE(chosen.ok()) << chosen.status().ToString();
  const auto is_chosen = [&](const std::string& name) {
    return (*chosen)[static_cast<size_t>(net.m.graph.Find(name))];
  };
  EXPECT_TRUE(is_chosen("mask3"));
  EXPECT_FALSE(is_chosen("is_kept3"));
  EXPECT_FALSE(is_chosen("noise3"));
}

TEST(ChooseNamed, PatternsChooseWhatMayBeRecomputed) {
  DeepNet net(3);
  const GradientStep step = net.Differentiate();
  const std::vector<bool> chosen = ChooseNamed(net.m.graph, step, {NamePattern("h?"), NamePattern("W*")});
  std::vector<std::string> names;
  for (const Node& node : net.m.graph.nodes()) {
    if (chosen[static_cast<size_t>(node.id)]) names.push_back(node.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"h1", "h2", "h3"})) << "h0 is fed and W* are variables";
}

}  // namespace
}  // namespace dfrun
