// Conditionals and loops in one plan, made of the ops and kernels of this program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/executor/build_plan.h"
#include "src/executor/executor.h"
#include "tests/unit/executor/flow_graph.h"
#include "tests/unit/testing/tested_device.h"

namespace dfrun::testing {
namespace {

using ::testing::HasSubstr;

struct Way {
  int64_t max_arena_bytes;
  int threads;
  bool infer;
  bool loop_programs = true;
};

class ControlFlowTest : public ::testing::TestWithParam<Way> {
 protected:
  Status Prepare(FlowGraph& g) {
    if (GetParam().infer) DF_TRY(g.graph.InferShapes());
    const PlanOptions options = {.max_arena_bytes = GetParam().max_arena_bytes,
                                 .loop_programs = GetParam().loop_programs};
    DF_ASSIGN(plan_, BuildPlan(g.graph, *device_, KernelRegistry::Builtin(), options));
    return Status();
  }
  Result<std::vector<int32_t>> Step(FlowGraph& g, const std::vector<int32_t>& feeds = {}) {
    std::vector<Tensor> fed;
    for (int32_t value : feeds) fed.push_back(Tensor::Scalar(value));
    std::vector<Tensor> fetches(g.num_fetches);
    DF_TRY(RunPlan(*plan_, pool_, {.feeds = fed, .fetches = fetches, .step = {}}));
    std::vector<int32_t> values;
    for (const Tensor& t : fetches) values.push_back(t.scalar<int32_t>());
    return values;
  }
  std::vector<int32_t> Run(FlowGraph& g, const std::vector<int32_t>& feeds = {}) {
    const Status prepared = Prepare(g);
    EXPECT_TRUE(prepared.ok()) << prepared.ToString();
    if (!prepared.ok()) return {};
    const auto values = Step(g, feeds);
    EXPECT_TRUE(values.ok()) << values.status().ToString();
    return values.ok() ? *values : std::vector<int32_t>();
  }

  const std::unique_ptr<Device> device_ = MakeTestedDevice();
  WorkerPool pool_{GetParam().threads};
  std::unique_ptr<ExecPlan> plan_;
};

INSTANTIATE_TEST_SUITE_P(Ways, ControlFlowTest,
                         ::testing::Values(Way{-1, 1, false}, Way{32 << 10, 1, true}, Way{32 << 10, 3, true},
                                           Way{-1, 1, false, false}, Way{32 << 10, 3, true, false}),
                         [](const auto& info) {
                           return StrCat(info.param.loop_programs ? "Straight" : "",
                                         info.param.infer ? "Placed" : "Counted", "On", info.param.threads);
                         });

using Values = FlowGraph::Values;

TEST_P(ControlFlowTest, ATakenBranchGivesTheValue) {
  FlowGraph g;
  const Output x = g.Feed();
  const Output positive = g.Op("Greater", {x, g.Int(0)});
  g.Fetch(g.Cond(
      positive, x,
      [&](Output v) {
        return g.Op("Mul", {v, v});
      },
      [&](Output v) { return g.Op("Neg", {v}); }));
  ASSERT_TRUE(Prepare(g).ok());
  for (int32_t x_value : {3, -4, 0, 7}) {
    EXPECT_EQ((*Step(g, {x_value}))[0], x_value > 0 ? x_value * x_value : -x_value);
  }
}

TEST_P(ControlFlowTest, MergeSaysWhichInputCame) {
  FlowGraph g;
  const Output x = g.Feed();
  const Output branch = g.Op("Switch", {x, g.Op("Greater", {x, g.Int(0)})});
  const Output merge = g.Op("Merge", {{branch.node, 0}, {branch.node, 1}});
  g.Fetch({merge.node, 1});
  EXPECT_EQ(Run(g, {5}), std::vector<int32_t>{1});
  EXPECT_EQ(*Step(g, {-5}), std::vector<int32_t>{0});
}

TEST_P(ControlFlowTest, FetchingABranchThatWasNotTakenIsAnError) {
  FlowGraph g;
  const Output x = g.Feed();
  const Output branch = g.Op("Switch", {x, g.Op("Greater", {x, g.Int(0)})});
  g.Fetch({branch.node, 1});
  ASSERT_TRUE(Prepare(g).ok());
  EXPECT_EQ((*Step(g, {5}))[0], 5);
  EXPECT_THAT(Step(g, {-5}).status().message(), HasSubstr("was not taken"));
  EXPECT_EQ((*Step(g, {6}))[0], 6);
}

TEST_P(ControlFlowTest, DeadnessFollowsControlEdges) {
  FlowGraph g;
  const Output x = g.Feed();
  const Output branch = g.Op("Switch", {x, g.Op("Greater", {x, g.Int(0)})});
  NodeSpec held;
  held.name = "held";
  held.op = "Identity";
  held.inputs = {g.Int(42)};
  held.control_inputs = {g.Op("Identity", {{branch.node, 1}}).node};
  const Output held_value = g.Add(std::move(held));
  g.Fetch(g.Op("Merge", {{branch.node, 0}, held_value}));
  EXPECT_EQ(Run(g, {5}), std::vector<int32_t>{42});
  EXPECT_EQ(*Step(g, {-5}), std::vector<int32_t>{-5});
}

// In a loop that counts, the Identity behind its Switch, the constant that waits for it and the LoopCond are no nodes
// of the plan.
TEST_P(ControlFlowTest, WhatOnlyHandsOnIsNoNode) {
  FlowGraph g;
  const Values exits = g.While(
      {g.Int(0)}, {g.Int(5)},
      [&](const Values& v) {
        return g.Op("Less", {v[0], v[1]});
      },
      [&](const Values& v) {
        NodeSpec two;
        two.name = "two";
        two.op = "Const";
        two.attrs = {{"dtype", DType::kInt32}, {"value", Tensor::Scalar<int32_t>(2)}};
        two.control_inputs = {v[0].node};
        return Values{g.Op("AddV2", {v[0], g.Add(std::move(two))})};
      });
  g.Fetch(exits[0]);
  EXPECT_EQ(Run(g), std::vector<int32_t>{6});
  EXPECT_EQ(plan_->frames()[1].num_nodes, 6U);  // Merge, Less, Switch, AddV2, NextIteration, Exit
}

TEST_P(ControlFlowTest, WhatWaitsForTwoThingsIsDeadWithEither) {
  FlowGraph g;
  const Output x = g.Feed();
  const Output by_sign = g.Op("Switch", {x, g.Op("Greater", {x, g.Int(0)})});
  const Output by_size = g.Op("Switch", {x, g.Op("Greater", {x, g.Int(10)})});
  NodeSpec held;
  held.name = "held";
  held.op = "Identity";
  held.inputs = {{by_sign.node, 1}};
  held.control_inputs = {g.Op("Identity", {{by_size.node, 1}}).node};
  g.Fetch(g.Op("Merge", {{by_size.node, 0}, g.Op("Neg", {g.Add(std::move(held))})}));
  EXPECT_EQ(Run(g, {50}), std::vector<int32_t>{-50});
  EXPECT_EQ(*Step(g, {5}), std::vector<int32_t>{5});
  EXPECT_EQ(*Step(g, {-5}), std::vector<int32_t>{-5});
}

// The graph computes the sum of 0..n-1, n times.
TEST_P(ControlFlowTest, ALoopRunsAsOftenAsItsConditionSays) {
  for (int parallel : {1, 2, 10}) {
    FlowGraph g;
    const Output n = g.Feed();
    const Values exits = g.While(
        {g.Int(0), g.Int(0)}, {n, g.Int(1)},
        [&](const Values& v) {
          return g.Op("Less", {v[0], v[2]});
        },
        [&](const Values& v) {
          return Values{g.Op("Add", {v[0], v[3]}), g.Op("Add", {v[1], v[0]})};
        },
        parallel);
    for (Output exit : exits) g.Fetch(exit);
    ASSERT_TRUE(Prepare(g).ok());
    for (int32_t times : {0, 1, 2, 50, 1000, 3}) {
      EXPECT_EQ(*Step(g, {times}), (std::vector<int32_t>{times, times * (times - 1) / 2})) << parallel;
    }
  }
}

TEST_P(ControlFlowTest, NestedLoopsAndBranches) {
  FlowGraph g;
  const Output n = g.Feed();
  // for i < n: for j < i: s = s % 3 == 0 ? s + j : s - 1
  const Values outer = g.While(
      {g.Int(0), g.Int(0)}, {n},
      [&](const Values& v) {
        return g.Op("Less", {v[0], v[2]});
      },
      [&](const Values& v) {
        const Values inner = g.While(
            {g.Op("Sub", {v[0], v[0]}), v[1]}, {v[0]},
            [&](const Values& w) {
              return g.Op("Less", {w[0], w[2]});
            },
            [&](const Values& w) {
              const Output divides = g.Op("Equal", {g.Op("FloorMod", {w[1], g.Int(3)}), g.Int(0)});
              const Output j = g.Op("Switch", {w[0], divides});
              const Output s = g.Cond(
                  divides, w[1],
                  [&](Output t) {
                    return g.Op("Add", {t, {j.node, 1}});
                  },
                  [&](Output t) {
                    return g.Op("Sub", {t, g.Int(1)});
                  });
              return Values{g.Op("Add", {w[0], g.Int(1)}), s};
            });
        return Values{g.Op("Add", {v[0], g.Int(1)}), inner[1]};
      });
  g.Fetch(outer[1]);
  ASSERT_TRUE(Prepare(g).ok());
  for (int32_t times : {0, 1, 5, 20}) {
    int32_t s = 0;
    for (int i = 0; i < times; ++i) {
      for (int j = 0; j < i; ++j) s = (s % 3 + 3) % 3 == 0 ? s + j : s - 1;
    }
    EXPECT_EQ((*Step(g, {times}))[0], s) << times;
  }
}

TEST_P(ControlFlowTest, ALoopInABranchThatIsNotTakenIsDead) {
  FlowGraph g;
  const Output x = g.Feed();
  const Output big = g.Op("Greater", {x, g.Int(10)});
  g.Fetch(g.Cond(
      big, x,
      [&](Output v) {
        return g.While(
            {v}, {},
            [&](const Values& w) {
              return g.Op("Greater", {w[0], g.Int(3)});
            },
            [&](const Values& w) {
              return Values{g.Op("Sub", {w[0], g.Int(4)})};
            })[0];
      },
      [&](Output v) { return g.Op("Neg", {v}); }));
  EXPECT_EQ(Run(g, {20}), std::vector<int32_t>{0});
  EXPECT_EQ(*Step(g, {7}), std::vector<int32_t>{-7});
  EXPECT_EQ(*Step(g, {21}), std::vector<int32_t>{1});
}

TEST_P(ControlFlowTest, AnErrorInAnIterationEndsTheStepAndTheNextRuns) {
  FlowGraph g;
  const Output n = g.Feed();
  const Values exits = g.While(
      {n, g.Int(100)}, {},
      [&](const Values& v) {
        return g.Op("GreaterEqual", {v[0], g.Int(0)});
      },
      [&](const Values& v) {
        return Values{g.Op("Sub", {v[0], g.Int(1)}), g.Op("FloorDiv", {v[1], v[0]})};
      });
  g.Fetch(exits[1]);
  ASSERT_TRUE(Prepare(g).ok());
  EXPECT_THAT(Step(g, {2}).status().message(), HasSubstr("FloorDiv"));
  EXPECT_EQ((*Step(g, {-1}))[0], 100);
}

TEST_P(ControlFlowTest, AValueFromOutsideNeedsAnEnter) {
  FlowGraph g;
  const Output n = g.Op("Neg", {g.Feed()});
  g.Fetch(g.While(
      {g.Int(0)}, {},
      [&](const Values& v) {
        return g.Op("Less", {v[0], n});
      },
      [&](const Values& v) {
        return Values{g.Op("Add", {v[0], g.Int(1)})};
      })[0]);
  EXPECT_THAT(Prepare(g).message(), HasSubstr("without an Enter"));
}

// Large enough that threads share the step: iterations of several variables overlap.
TEST(ControlFlowThreadsTest, OverlappingIterationsGiveTheSameBits) {
  constexpr int kVariables = 6;
  FlowGraph g;
  Tensor start(DType::kFloat, Shape({64, 64}));
  for (int64_t i = 0; i < start.num_elements(); ++i) start.data<float>()[i] = static_cast<float>(i % 13) / 13.0F;
  Values initial = {g.Int(0)};
  for (int i = 0; i < kVariables; ++i) initial.push_back(g.Op("Identity", {g.Const(g.Name("w"), start)}));
  const Values exits = g.While(
      initial, {g.Op("Identity", {g.Int(40)})},
      [&](const Values& v) {
        return g.Op("Less", {v[0], v.back()});
      },
      [&](const Values& v) {
        Values next = {g.Op("Add", {v[0], g.Int(1)})};
        for (int i = 1; i <= kVariables; ++i) {
          next.push_back(g.Op("Tanh", {g.Op("MatMul", {v[i], v[1 + i % kVariables]})}));
        }
        return next;
      });
  for (int i = 1; i <= kVariables; ++i) g.Fetch(exits[i]);
  ASSERT_TRUE(g.graph.InferShapes().ok());
  const std::unique_ptr<Device> device = MakeTestedDevice();
  auto plan = BuildPlan(g.graph, *device, KernelRegistry::Builtin());
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  std::vector<Tensor> expected;
  for (int threads : {1, 2, 4}) {
    WorkerPool pool(threads);
    for (int round = 0; round < 3; ++round) {
      std::vector<Tensor> fetches(kVariables);
      ASSERT_TRUE(RunPlan(**plan, pool, {.feeds = {}, .fetches = fetches, .step = {}}).ok());
      if (expected.empty()) expected = fetches;
      for (int i = 0; i < kVariables; ++i) EXPECT_TRUE(fetches[i].Identical(expected[i])) << threads;
    }
  }
}

}  // namespace
}  // namespace dfrun::testing
