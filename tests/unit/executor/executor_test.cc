#include "src/executor/executor.h"

#include <gtest/gtest.h>

#include "src/executor/build_plan.h"
#include "tests/unit/executor/test_nodes.h"

namespace dfrun::testing {
namespace {

// The parameter decides where values are stored, which must not change them.
class ExecutorTest : public ::testing::TestWithParam<int64_t> {
 protected:
  PlanOptions options() const { return {.max_arena_bytes = GetParam()}; }
  // Runs one step on `threads` threads.
  Result<std::vector<Tensor>> Run(TestGraph& graph, const std::vector<Tensor>& feeds = {}, int threads = 1) {
    DF_ASSIGN(auto plan, BuildPlan(graph.graph(), device_.get(), TestKernels(), options()));
    WorkerPool pool(threads);
    std::vector<Tensor> fetches(graph.num_fetches());
    DF_TRY(RunPlan(*plan, pool, {.feeds = feeds, .fetches = fetches, .step = {}}));
    return fetches;
  }
  TestDevice device_;
};

INSTANTIATE_TEST_SUITE_P(Placed, ExecutorTest, ::testing::Values(-1, 32 << 10),
                         [](const auto& info) { return info.param < 0 ? "Nothing" : "Small"; });

float Value(const Tensor& t) {
  return *t.data<float>();
}

TEST_P(ExecutorTest, AnEmptyGraphRuns) {
  TestGraph graph;
  EXPECT_TRUE(Run(graph).ok());
}

TEST_P(ExecutorTest, AChainAddsUp) {
  TestGraph graph;
  const Output one = graph.Fixed(Filled(1, 1));
  Output x = one;
  for (int i = 0; i < 999; ++i) x = {graph.Add("Add", {x, one}), 0};
  graph.Fetch(x);
  EXPECT_EQ(Value((*Run(graph))[0]), 1000);
}

TEST_P(ExecutorTest, AFanOutComesTogether) {
  TestGraph graph;
  const Output x = graph.Feed(0, PartialShape({3}));
  std::vector<Output> parts;
  for (int i = 0; i < 100; ++i) parts.push_back({graph.Add("Negate", {x}), 0});
  graph.Fetch({graph.Add("AddN", parts, {{"N", 100}}), 0});
  const auto fetched = Run(graph, {Filled(3, 2)});
  ASSERT_TRUE(fetched.ok()) << fetched.status().ToString();
  EXPECT_TRUE((*fetched)[0].Identical(Filled(3, -200)));
  EXPECT_FALSE((*fetched)[0].borrowed());
}

TEST_P(ExecutorTest, ADiamondMayReadOneValueTwice) {
  TestGraph graph;
  const Output x = graph.Feed(0, PartialShape({4}));
  const Output y = {graph.Add("Negate", {x}), 0};
  const Output square = {graph.Add("Mul", {y, y}), 0};
  graph.Fetch({graph.Add("Sub", {square, y}), 0});
  const auto fetched = Run(graph, {Filled(4, 3)});
  ASSERT_TRUE(fetched.ok()) << fetched.status().ToString();
  EXPECT_TRUE((*fetched)[0].Identical(Filled(4, 12)));
}

TEST_P(ExecutorTest, ControlEdgesOrderARefsReadersAndWriters) {
  TestGraph graph;
  const NodeId var = graph.Add("Var", {});
  const NodeId init = graph.Add("ChangeVar", {{var, 0}, graph.Fixed(Filled(1, 5))});
  const NodeId read = graph.Add("Negate", {{var, 0}}, {}, {init});
  const NodeId change = graph.Add("ChangeVar", {{var, 0}, graph.Fixed(Filled(1, 2))}, {}, {read});
  graph.Fetch({read, 0});
  graph.Fetch({change, 0});
  const auto fetched = Run(graph, {}, 2);
  ASSERT_TRUE(fetched.ok()) << fetched.status().ToString();
  EXPECT_EQ(Value((*fetched)[0]), -5);
  EXPECT_EQ(Value((*fetched)[1]), 7);
}

TEST_P(ExecutorTest, AnUninitialisedVariableIsNamed) {
  TestGraph graph;
  const NodeId var = graph.Add("Var", {});
  graph.Fetch({graph.Add("Negate", {{var, 0}}), 0});
  const Status status = Run(graph).status();
  EXPECT_EQ(status.code(), Code::kFailedPrecondition);
  EXPECT_NE(status.message().find("uninitialized value Var"), std::string::npos) << status.ToString();
}

TEST_P(ExecutorTest, AFailingKernelEndsTheStepAndIsNamed) {
  TestGraph graph;
  const Output x = graph.Feed(0, PartialShape({2}));
  const Output ok = {graph.Add("Negate", {x}), 0};
  const Output bad = {graph.Add("Fail", {ok}), 0};
  graph.Fetch({graph.Add("Add", {bad, ok}), 0});
  for (int threads : {1, 2}) {
    const Status status = Run(graph, {Filled(2, 1)}, threads).status();
    EXPECT_EQ(status.code(), Code::kInvalidArgument);
    EXPECT_EQ(status.message(), "node 'Fail' (op Fail) on /job:worker/task:0/device:cpu:0: meant to fail");
  }
}

TEST_P(ExecutorTest, AFailedStepLeavesThePlanUsable) {
  TestGraph graph;
  const Output x = graph.Feed(0, PartialShape());
  const Output y = {graph.Add("Negate", {x}), 0};
  const Output z = {graph.Add("Share", {y}), 0};
  graph.Fetch({graph.Add("Add", {z, graph.Fixed(Filled(2, 1))}), 0});
  const auto plan = MakePlan(graph.graph(), device_, options());
  WorkerPool pool(1);
  std::vector<Tensor> fetches(1);
  EXPECT_EQ(RunPlan(*plan, pool, {.feeds = std::vector{Filled(3, 1)}, .fetches = fetches, .step = {}}).code(),
            Code::kInvalidArgument);
  ASSERT_TRUE(RunPlan(*plan, pool, {.feeds = std::vector{Filled(2, 3)}, .fetches = fetches, .step = {}}).ok());
  EXPECT_TRUE(fetches[0].Identical(Filled(2, -2)));
}

TEST_P(ExecutorTest, FeedsAreChecked) {
  TestGraph graph;
  graph.Fetch({graph.Add("Negate", {graph.Feed(0, PartialShape({-1, 2}))}), 0});
  EXPECT_EQ(Run(graph).status().message(), "the plan wants 1 feeds, but 0 are given");
  EXPECT_EQ(Run(graph, {Filled(2, 1)}).status().message(),
            "the feed of 'Arg' has shape [2], but this plan was made for [?,2]");
  EXPECT_EQ(Run(graph, {Tensor::Scalar<int32_t>(1)}).status().message(),
            "the feed of 'Arg' is int32, but the graph wants float32");
  EXPECT_EQ(Run(graph, {Tensor()}).status().message(), "the feed of 'Arg' has no value");
}

TEST_P(ExecutorTest, AFeedMayBeFetched) {
  TestGraph graph;
  graph.Fetch(graph.Feed(0, PartialShape()));
  graph.Fetch(graph.Fixed(Filled(2, 9)));
  const auto fetched = Run(graph, {Filled(5, 4)});
  ASSERT_TRUE(fetched.ok()) << fetched.status().ToString();
  EXPECT_TRUE((*fetched)[0].Identical(Filled(5, 4)));
  EXPECT_TRUE((*fetched)[1].Identical(Filled(2, 9)));
}

TEST_P(ExecutorTest, AFixedOutputBehindAControlEdgeKeepsTheOrder) {
  TestGraph graph;
  const NodeId var = graph.Add("Var", {});
  const NodeId init = graph.Add("ChangeVar", {{var, 0}, graph.Fixed(Filled(1, 5))});
  const NodeId late = graph.Add("Fixed", {}, {{"value", Filled(1, 2)}}, {init});
  const NodeId none = graph.Add("NoOp", {}, {}, {late});
  graph.Fetch({graph.Add("Mul", {{var, 0}, {late, 0}}, {}, {none}), 0});
  const auto fetched = Run(graph);
  ASSERT_TRUE(fetched.ok()) << fetched.status().ToString();
  EXPECT_EQ(Value((*fetched)[0]), 10);
}

TEST_P(ExecutorTest, DenormalsAreZeroInKernelsAndOnlyThere) {
  TestGraph graph;
  for (int i = 0; i < 50; ++i) {
    const Output small = {graph.Add("Mul", {graph.Fixed(Filled(1, 1e-30F)), graph.Fixed(Filled(1, 1e-10F))}), 0};
    graph.Fetch({graph.Add("Work", {small}, {{"ns", 1000}, {"expensive", true}}), 0});
  }
  volatile float small = 1e-30F;
  for (int threads : {1, 2}) {
    const auto fetched = Run(graph, {}, threads);
    ASSERT_TRUE(fetched.ok()) << fetched.status().ToString();
    for (const Tensor& product : *fetched) EXPECT_EQ(Value(product), 0);
    EXPECT_GT(small * 1e-10F, 0);
  }
}

TEST_P(ExecutorTest, BlocksOfAKernelRunOnThePool) {
  TestGraph graph;
  for (int i = 0; i < 8; ++i) graph.Fetch({graph.Add("Blocks", {graph.Fixed(Filled(1, 100))}), 0});
  for (int threads : {1, 4}) {
    const auto fetched = Run(graph, {}, threads);
    ASSERT_TRUE(fetched.ok()) << fetched.status().ToString();
    for (const Tensor& sum : *fetched) EXPECT_EQ(Value(sum), 4950);
  }
}

// Nodes that are ready beside a node with blocks are held back until its blocks have begun, and are not lost if it has
// none.
TEST_P(ExecutorTest, NodesWithBlocksRunBesideEachOther) {
  TestGraph graph;
  std::vector<Output> parts;
  for (int i = 0; i < 4; ++i) {
    const Output blocks{graph.Add("Blocks", {graph.Feed(i, PartialShape(std::vector<int64_t>()))}), 0};
    const Output work{graph.Add("Work", {blocks}, {{"ns", 30'000}, {"expensive", true}}), 0};
    parts.push_back({graph.Add("Later", {work}), 0});
    parts.push_back({graph.Add("Blocks", {blocks}), 0});
  }
  graph.Fetch({graph.Add("AddN", parts, {{"N", static_cast<int64_t>(parts.size())}}), 0});
  const auto plan = MakePlan(graph.graph(), device_, options());
  for (int threads : {1, 2, 3}) {
    WorkerPool pool(threads);
    for (int step = 0; step < 60; ++step) {
      std::vector<Tensor> feeds(4, Filled(1, 9));
      const int failing = step % 6;  // 4, 5: none
      if (failing < 4) feeds[static_cast<size_t>(failing)] = Filled(1, -1);
      Tensor sum;
      const Status status = RunPlan(*plan, pool, {.feeds = feeds, .fetches = std::span(&sum, 1), .step = {}});
      ASSERT_EQ(status.ok(), failing >= 4) << status.ToString();
      if (!status.ok()) continue;
      EXPECT_EQ(Value(sum), 4 * (36 + 630));
    }
  }
}

TEST(PlanTest, NamesTheNodeThatHasNoKernel) {
  OpRegistry ops;
  ASSERT_TRUE(ops.Register(OpBuilder("Alone").Output("y: float").Shape(UnknownOutputs()).Doc("A test's op.")).ok());
  Graph graph(ops);
  ASSERT_TRUE(graph
                  .AddNode({.name = "a",
                            .op = "Alone",
                            .inputs = {},
                            .control_inputs = {},
                            .attrs = {},
                            .device = "",
                            .colocate_with = "",
                            .location = {}})
                  .ok());
  TestDevice device;
  const Status status = BuildPlan(graph, device.get(), TestKernels()).status();
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_NE(status.message().find("node 'a'"), std::string::npos) << status.ToString();
}

TEST(PlanTest, RefusesACycle) {
  TestGraph graph;
  const NodeId a = graph.Add("NoOp", {});
  const NodeId b = graph.Add("NoOp", {}, {}, {a});
  graph.graph().AddControlEdge(b, a);
  TestDevice device;
  EXPECT_EQ(BuildPlan(graph.graph(), device.get(), TestKernels()).status().code(), Code::kInvalidArgument);
}

TEST(PlanTest, RefusesAFetchIndexTwice) {
  TestGraph graph;
  const Output x = graph.Fixed(Filled(1, 1));
  graph.Add("_Retval", {x}, {{"index", 0}});
  graph.Add("_Retval", {x}, {{"index", 0}});
  TestDevice device;
  EXPECT_EQ(BuildPlan(graph.graph(), device.get(), TestKernels()).status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace dfrun::testing
