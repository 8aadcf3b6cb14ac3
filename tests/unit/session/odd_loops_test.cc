// Loops that no while_loop makes: variables that die, values that only some iterations have, Exits out of turn. On any
// number of ranks they end, and all in the same way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "src/session/session.h"
#include "tests/unit/session/rank_threads.h"
#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/random_devices.h"

namespace dfrun {
namespace {

using ::testing::HasSubstr;

// Makes the loop while (i < 4) i = i + 1, whose result is `i_exit`.
class LoopMaker : public testing::GraphMaker {
 public:
  LoopMaker() {
    i = Variable("i", Int("zero", 0));
    cond = Add("cond", "LoopCond", {Add("less", "Less", {i, Constant(Int("four", 4))})});
    inside = Inside("i", i);
    SetNext("i", i, Add("i_add", "AddV2", {inside, Constant(Int("one", 1))}));
  }

  Output Int(const std::string& name, int32_t value) { return Scalar<int32_t>(name, value); }
  Output Enter(const std::string& name, Output value, bool is_constant = false) {
    return Add(name, "Enter", {value}, {{"frame_name", "loop"}, {"is_constant", is_constant}});
  }
  Output Constant(Output value) { return Enter(graph.node(value.node).name + "_in", value, true); }
  Output Variable(const std::string& name, Output initial) {
    return Add(name, "Merge", {Enter(name + "_enter", initial), Output{}}, {{"T", DType::kInt32}, {"N", 2}});
  }
  void SetNext(const std::string& name, Output merge, Output value) {
    ASSERT_TRUE(graph.SetInput(merge.node, 1, Add(name + "_next", "NextIteration", {value})).ok());
  }
  // Returns the value in iterations other than the last; its value after the loop is `name`_exit.
  Output Inside(const std::string& name, Output value) {
    const Output sides = Add(name + "_switch", "Switch", {value, cond});
    Add(name + "_exit", "Exit", {sides});
    return {sides.node, 1};
  }
  // Returns a value that is dead if i is 2 or more.
  Output WhileSmall(const std::string& name, Output value) {
    const Output is_small = Add(name + "_small", "Less", {inside, Constant(Int(name + "_two", 2))});
    return {Add(name + "_branch", "Switch", {value, is_small}).node, 1};
  }

  Output i;
  Output inside;
  Output cond;
};

Result<int32_t> RunOn(int ranks, const Graph& made, uint64_t seed, const std::string& fetch) {
  testing::RankThreads world(ranks, seed % 3 == 2 ? 3 : 1);
  Graph graph = made.Clone();
  DF_TRY(testing::PutOnRandomDevices(graph, *MakeCluster({}, ranks), seed));
  SessionOptions options;
  options.optimize = seed % 2 == 0;
  DF_ASSIGN(const auto session, Session::Create(world.master(), std::move(graph), options));
  int32_t value = 0;
  for (int step = 0; step < 3; ++step) {
    DF_ASSIGN(const std::vector<Tensor> out, session->Run({}, {fetch}));
    value = out[0].scalar<int32_t>();
  }
  return value;
}

class OddLoops : public ::testing::TestWithParam<int> {
 protected:
  void ExpectValue(const LoopMaker& m, const std::string& fetch, int32_t wanted) {
    for (uint64_t seed = 0; seed < 12; ++seed) {
      const Result<int32_t> value = RunOn(GetParam(), m.graph, seed, fetch);
      ASSERT_TRUE(value.ok()) << fetch << ", seed " << seed << ": " << value.status().ToString();
      EXPECT_EQ(*value, wanted) << fetch << ", seed " << seed;
    }
  }
  void ExpectError(const LoopMaker& m, const std::string& fetch, const std::string& wanted) {
    for (uint64_t seed = 0; seed < 12; ++seed) {
      const Result<int32_t> value = RunOn(GetParam(), m.graph, seed, fetch);
      EXPECT_EQ(value.status().code(), Code::kInvalidArgument) << fetch << ", seed " << seed;
      EXPECT_THAT(value.status().message(), HasSubstr(wanted));
    }
  }
};

TEST_P(OddLoops, AVariableThatDiesIsDeadInTheIterationsThatFollow) {
  LoopMaker m;
  const Output v = m.Variable("v", m.Int("seven", 7));
  const Output doubled = m.Add("doubled", "AddV2", {m.Inside("v", v), m.inside});
  m.SetNext("v", v, m.WhileSmall("v", doubled));
  ExpectError(m, "v_exit", "the branch that gives its value was not taken");
  const Output both = m.Add("both", "Merge", {{doubled}, {m.inside}});
  const Output w = m.Variable("w", m.Int("nine", 9));
  m.Inside("w", w);
  m.SetNext("w", w, m.Add("sum", "AddV2", {{both.node, 1}, m.inside}));
  ExpectValue(m, "i_exit", 4);
  ExpectValue(m, "w_exit", 4);  // i = 3 comes from the second input
}

TEST_P(OddLoops, AConditionThatDiesEndsTheLoop) {
  LoopMaker m;
  const Output v = m.Variable("v", m.Int("seven", 7));
  m.SetNext("v", v, m.WhileSmall("v", m.Inside("v", v)));
  const Output goes_on = m.Add("goes_on", "LogicalAnd",
                               {{m.graph.Find("less"), 0}, m.Add("any", "Less", {v, m.Constant(m.Int("many", 99))})});
  ASSERT_TRUE(m.graph.SetInput(m.cond.node, 0, goes_on).ok());
  ExpectError(m, "i_exit", "the branch that gives its value was not taken");
}

TEST_P(OddLoops, WhatEntersOnceIsReadInTheFirstIterationAlone) {
  LoopMaker m;
  const Output once = m.Add("once", "AddV2", {m.Enter("five_in", m.Int("five", 5)), m.inside});
  const Output both = m.Add("both", "Merge", {once, m.inside});
  const Output w = m.Variable("w", m.Int("nine", 9));
  m.Inside("w", w);
  const Output later = {
      m.Add("later", "Switch", {m.inside, m.Add("first", "Equal", {m.inside, m.Constant(m.Int("nil", 0))})}).node, 0};
  ASSERT_TRUE(m.graph.SetInput(both.node, 1, later).ok());
  m.SetNext("w", w, m.Add("sum", "AddV2", {w, both}));
  ExpectValue(m, "w_exit", 9 + 5 + 1 + 2 + 3);
}

TEST_P(OddLoops, WhatANextIterationHandsOnMayBeReadWithoutAMerge) {
  LoopMaker m;
  const Output next{m.graph.Find("i_next"), 0};
  m.Inside("tripled", m.Add("tripled_value", "Mul", {next, m.Constant(m.Int("three", 3))}));
  ExpectValue(m, "tripled_exit", 12);
}

// One of its NextIterations is dead in every iteration, the other alive.
TEST_P(OddLoops, AVariableMayGoOnByOneOfSeveralNextIterations) {
  LoopMaker m;
  NodeSpec spec;
  spec.name = "w";
  spec.op = "Merge";
  spec.inputs = {m.Enter("w_enter", m.Int("nine", 9)), Output{}, Output{}};
  spec.attrs = {{"T", DType::kInt32}, {"N", 3}};
  const Output w = m.Add(std::move(spec));
  const Output is_two = m.Add("is_two", "Equal", {m.inside, m.Constant(m.Int("two", 2))});
  const Output sides = m.Add("sides", "Switch", {m.Inside("w", w), is_two});
  m.SetNext("w", w, m.Add("less_one", "Sub", {sides, m.Constant(m.Int("w_one", 1))}));
  const Output other = m.Add("doubled", "AddV2", {{sides.node, 1}, {sides.node, 1}});
  ASSERT_TRUE(m.graph.SetInput(w.node, 2, m.Add("w_other", "NextIteration", {other})).ok());
  ExpectValue(m, "w_exit", (9 - 1 - 1) * 2 - 1);
}

// Adds the loop while (j < 3) j = j + 1 within the loop. It runs in every iteration, the last one too, since nothing
// that it reads comes from the condition.
class InnerLoopMaker : public LoopMaker {
 public:
  InnerLoopMaker() {
    j = InnerVariable("j", Constant(Int("j_zero", 0)));
    const Output few = EnterInner("few_inner", Constant(Int("few", 3)), true);
    inner_cond = Add("j_cond", "LoopCond", {Add("j_less", "Less", {j, few})});
    inner_inside = Inner("j", j);
    const Output step = EnterInner("step_inner", Constant(Int("step", 1)), true);
    SetNext("j", j, Add("j_add", "AddV2", {inner_inside, step}));
  }

  Output EnterInner(const std::string& name, Output value, bool is_constant) {
    return Add(name, "Enter", {value}, {{"frame_name", "inner"}, {"is_constant", is_constant}});
  }
  Output InnerVariable(const std::string& name, Output initial) {
    return Add(name, "Merge", {EnterInner(name + "_enter", initial, false), Output{}},
               {{"T", DType::kInt32}, {"N", 2}});
  }
  // Does for the inner loop what Inside() does for the outer one.
  Output Inner(const std::string& name, Output value) {
    const Output sides = Add(name + "_switch", "Switch", {value, inner_cond});
    Add(name + "_exit", "Exit", {sides});
    return {sides.node, 1};
  }

  Output j;
  Output inner_inside;
  Output inner_cond;
};

TEST_P(OddLoops, NoIterationFollowsWhereTheConditionEndsTheLoop) {
  InnerLoopMaker m;
  const Output w = m.Variable("w", m.Int("nine", 9));
  m.Inside("w", w);
  m.SetNext("w", w, {m.graph.Find("j_exit"), 0});
  ExpectValue(m, "w_exit", 3);
}

// The value that enters the inner loop is dead in the last iteration, but the inner loop's variable becomes alive
// there.
TEST_P(OddLoops, NorWhereAVariableOfALoopInsideBecomesAlive) {
  InnerLoopMaker m;
  const Output v = m.InnerVariable("v", m.inside);
  m.Inner("v", v);
  m.SetNext("v", v, m.inner_inside);
  const Output w = m.Variable("w", m.Int("nine", 9));
  m.Inside("w", w);
  m.SetNext("w", w, {m.graph.Find("v_exit"), 0});
  ExpectValue(m, "w_exit", 2);
}

TEST_P(OddLoops, AMergeMayReadNextIterationsAlone) {
  LoopMaker m;
  const Output doubled = m.Add("doubled", "AddV2", {m.inside, m.inside});
  const Output next = m.Add("doubled_next", "NextIteration", {doubled});
  const Output w = m.Add("w", "Merge", {next, next});
  m.Inside("w", m.Add("product", "Mul", {w, next}));
  ExpectValue(m, "w_exit", 6 * 6);
}

TEST_P(OddLoops, AMergeMayReadANextIterationAndAValueOfItsOwnIteration) {
  LoopMaker m;
  const Output next = m.Add("doubled_next", "NextIteration", {m.Add("doubled", "AddV2", {m.inside, m.inside})});
  const Output is_first = m.Add("is_first", "Less", {m.i, m.Constant(m.Int("w_one", 1))});
  const Output first{m.Add("sides", "Switch", {m.i, is_first}).node, 1};
  m.Inside("w", m.Add("w", "Merge", {next, first}));
  ExpectValue(m, "w_exit", 6);
}

TEST_P(OddLoops, AValueLeavesALoopOnce) {
  LoopMaker m;
  m.Add("out", "Exit", {m.Add("tripled", "Mul", {m.inside, m.Constant(m.Int("three", 3))})});
  ExpectError(m, "out", "a second iteration leaves the loop 'loop' by it");
}

INSTANTIATE_TEST_SUITE_P(Ranks, OddLoops, ::testing::Values(1, 2, 3));

}  // namespace
}  // namespace dfrun
