// Loops that run as straight lines: the loops that qualify, and the equality of values, errors and traces with those of
// the general form.
#include "src/executor/loop_program/loop_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <thread>

#include "src/executor/build_plan.h"
#include "src/executor/executor.h"
#include "src/session/trace/step_trace.h"
#include "tests/unit/executor/flow_graph.h"
#include "tests/unit/testing/plain_device.h"

namespace dfrun::testing {
namespace {

using ::testing::HasSubstr;
using Values = FlowGraph::Values;

// Adds the loop i = 0; while (i < n) i, rest = i + 1, body(rest), with variables of the caller in `rest`.
Values CountTo(FlowGraph& g, Output n, Values initial, const std::function<Values(const Values&)>& body) {
  initial.insert(initial.begin(), g.Int(0));
  return g.While(
      initial, {n},
      [&](const Values& v) {
        return g.Op("Less", {v[0], v.back()});
      },
      [&](const Values& v) {
        Values next = body(v);
        next.insert(next.begin(), g.Op("AddV2", {v[0], g.Int(1)}));
        return next;
      });
}

struct Form {
  bool program;
  bool infer;  // shapes are known, so that values have offsets in the arena
  int size;    // elements of a variable
};

class LoopProgramTest : public ::testing::TestWithParam<Form> {
 protected:
  Output Vector(FlowGraph& g, int32_t first) {
    Tensor value(DType::kInt32, Shape({GetParam().size}));
    std::fill_n(value.data<int32_t>(), GetParam().size, first);
    return g.Const(g.Name("v"), value);
  }
  // Returns the first element of each fetch, whose elements are all equal.
  std::vector<int32_t> Run(FlowGraph& g) {
    const Status inferred = GetParam().infer ? g.graph.InferShapes() : Status();
    EXPECT_TRUE(inferred.ok()) << inferred.ToString();
    auto plan = BuildPlan(g.graph, device_, KernelRegistry::Builtin(), {.loop_programs = GetParam().program});
    EXPECT_TRUE(plan.ok()) << plan.status().ToString();
    EXPECT_EQ((*plan)->frames()[1].program != nullptr, GetParam().program);
    std::vector<int32_t> firsts;
    for (int round = 0; round < 2; ++round) {
      std::vector<Tensor> fetches(g.num_fetches);
      const Status status = RunPlan(**plan, pool_, {.feeds = {}, .fetches = fetches, .step = {}});
      EXPECT_TRUE(status.ok()) << status.ToString();
      firsts.clear();
      for (const Tensor& fetch : fetches) {
        const auto values = fetch.values<int32_t>();
        EXPECT_EQ(std::count(values.begin(), values.end(), values[0]), fetch.num_elements());
        firsts.push_back(values[0]);
      }
    }
    return firsts;
  }

  PlainDevice device_;
  WorkerPool pool_{1};
};

INSTANTIATE_TEST_SUITE_P(Forms, LoopProgramTest,
                         ::testing::Values(Form{true, true, 1}, Form{true, true, 100}, Form{true, true, 20000},
                                           Form{true, false, 100}, Form{false, true, 100}),
                         [](const auto& info) {
                           return StrCat(info.param.program ? "Straight" : "General",
                                         info.param.infer ? "Placed" : "Counted", info.param.size);
                         });

TEST_P(LoopProgramTest, VariablesThatChangePlaces) {
  FlowGraph g;
  const Values exits = CountTo(g, g.Int(30), {Vector(g, 0), Vector(g, 1), Vector(g, 7)}, [&](const Values& v) {
    return Values{v[2], g.Op("AddV2", {v[1], v[2]}), v[3]};
  });
  for (size_t i = 0; i < 4; ++i) g.Fetch(exits[i]);
  EXPECT_EQ(Run(g), (std::vector<int32_t>{30, 832040, 1346269, 7}));
}

// Two variables begin with one value, as when equal subexpressions were merged: x, y = 1, 1; five times x, y = x + y,
// x.
TEST_P(LoopProgramTest, VariablesThatBeginWithOneValue) {
  FlowGraph g;
  const auto enter = [&](Output value, bool is_constant) {
    return g.Op("Enter", {value}, {{"frame_name", "f"}, {"is_constant", is_constant}, {"parallel_iterations", 10}});
  };
  const auto merge = [&](Output first) {
    NodeSpec spec;
    spec.name = g.Name("Merge");
    spec.op = "Merge";
    spec.inputs = {first, Output{}};
    spec.attrs = {{"T", DType::kInt32}, {"N", 2}};
    return g.Add(std::move(spec));
  };
  const auto go_on = [&](Output variable, Output next) {
    EXPECT_TRUE(g.graph.SetInput(variable.node, 1, g.Op("NextIteration", {next})).ok());
  };
  const Output i = merge(enter(g.Int(0), false));
  const Output first = enter(Vector(g, 1), false);
  const Output x = merge(first);
  const Output y = merge(first);
  const Output pred = g.Op("LoopCond", {g.Op("Less", {i, enter(g.Int(5), true)})});
  const Output i_branch = g.Op("Switch", {i, pred});
  const Output x_branch = g.Op("Switch", {x, pred});
  const Output y_branch = g.Op("Switch", {y, pred});
  go_on(i, g.Op("AddV2", {{i_branch.node, 1}, enter(g.Int(1), true)}));
  go_on(x, g.Op("AddV2", {{x_branch.node, 1}, {y_branch.node, 1}}));
  go_on(y, {x_branch.node, 1});
  g.Fetch(g.Op("Exit", {x_branch}));
  g.Fetch(g.Op("Exit", {y_branch}));
  EXPECT_EQ(Run(g), (std::vector<int32_t>{13, 8}));
}

TEST_P(LoopProgramTest, ThreeVariablesInACircle) {
  FlowGraph g;
  const Values exits = CountTo(g, g.Int(31), {Vector(g, 1), Vector(g, 2), Vector(g, 3)}, [&](const Values& v) {
    return Values{v[2], v[3], v[1]};
  });
  for (size_t i = 1; i < 4; ++i) g.Fetch(exits[i]);
  EXPECT_EQ(Run(g), (std::vector<int32_t>{2, 3, 1}));
}

TEST_P(LoopProgramTest, OneValueGoesToTwoVariablesAndIntoAShape) {
  FlowGraph g;
  const Values exits = CountTo(g, g.Int(5), {Vector(g, 1), Vector(g, 0), Vector(g, 0)}, [&](const Values& v) {
    const Output twice = g.Op("AddV2", {v[1], v[1]});
    const Output same = g.Op("Reshape", {v[2], g.Op("Shape", {v[1]})});  // may share the memory of a variable
    return Values{twice, twice, same};
  });
  for (size_t i = 1; i < 4; ++i) g.Fetch(exits[i]);
  EXPECT_EQ(Run(g), (std::vector<int32_t>{32, 32, 16}));
}

TEST_P(LoopProgramTest, ItsBodyDoesNotRunIfItsConditionNeverHolds) {
  FlowGraph g;
  const Values exits = CountTo(g, g.Int(0), {Vector(g, 1)}, [&](const Values& v) {
    return Values{g.Op("FloorDiv", {v[1], g.Op("Sub", {v[1], v[1]})})};
  });
  g.Fetch(exits[1]);
  EXPECT_EQ(Run(g), std::vector<int32_t>{1});
}

TEST_P(LoopProgramTest, AnExitThatNobodyReadsAndLoopsOneAfterTheOther) {
  FlowGraph g;
  const Values first = CountTo(g, g.Int(4), {Vector(g, 3)}, [&](const Values& v) {
    return Values{g.Op("Mul", {v[1], v[1]})};
  });
  const Values second = CountTo(g, first[0], {Vector(g, 5)}, [&](const Values& v) {
    return Values{g.Op("AddV2", {v[1], v[0]})};
  });
  g.Fetch(second[1]);
  EXPECT_EQ(Run(g), std::vector<int32_t>{5 + 0 + 1 + 2 + 3});
}

// x = i < 4 ? (i < 2 ? x + y : x) : x * y, where y goes on unchanged or becomes x
TEST_P(LoopProgramTest, ConditionalsInEachOther) {
  FlowGraph g;
  const Values exits = CountTo(g, g.Int(6), {Vector(g, 1), Vector(g, 3)}, [&](const Values& v) {
    const Output early = g.Op("Less", {v[0], g.Int(4)});
    const Output x = g.Op("Switch", {v[1], early});
    const Output y = g.Op("Switch", {v[2], early});
    const Output i = g.Op("Switch", {v[0], early});
    const Output first = g.Op("Less", {{i.node, 1}, g.Int(2)});
    const Output inner_x = g.Op("Switch", {{x.node, 1}, first});
    const Output inner_y = g.Op("Switch", {{y.node, 1}, first});
    const Output sum = g.Op("AddV2", {{inner_x.node, 1}, {inner_y.node, 1}});
    const Output inner = g.Op("Merge", {inner_x, sum});
    const Output product = g.Op("Mul", {x, y});
    return Values{g.Op("Merge", {product, inner}), g.Op("Merge", {x, {y.node, 1}})};
  });
  for (size_t i = 1; i < 3; ++i) g.Fetch(exits[i]);
  EXPECT_EQ(Run(g), (std::vector<int32_t>{7 * 3 * 7, 7 * 3}));
}

// Two conditionals on one predicate, the second of what the first gives; and one that always gives the same side.
TEST_P(LoopProgramTest, ConditionalsOneAfterTheOther) {
  FlowGraph g;
  const Values exits = CountTo(g, g.Int(5), {Vector(g, 1)}, [&](const Values& v) {
    const Output pred = g.Op("Less", {v[0], g.Int(2)});
    const auto twice = [&](Output x) { return g.Op("AddV2", {x, x}); };
    const auto same = [](Output x) { return x; };
    const Output first = g.Cond(pred, v[1], twice, same);
    const Output second = g.Cond(pred, first, same, [&](Output x) { return g.Op("Neg", {x}); });
    return Values{g.Cond(g.Op("Less", {v[0], g.Int(9)}), second, twice, same)};
  });
  g.Fetch(exits[1]);
  EXPECT_EQ(Run(g), std::vector<int32_t>{-4 * 32});
}

// The condition of the loop holds a conditional of its own.
TEST_P(LoopProgramTest, AConditionalInTheCondition) {
  FlowGraph g;
  const Values exits = g.While(
      {g.Int(0), Vector(g, 2)}, {g.Int(3)},
      [&](const Values& v) {
        const Output is_low = g.Op("Less", {v[0], v[2]});
        const Output limit = g.Cond(
            is_low, v[2], [](Output x) { return x; },
            [&](Output x) {
              return g.Op("AddV2", {x, g.Int(4)});
            });
        return g.Op("Less", {v[0], limit});
      },
      [&](const Values& v) {
        return Values{g.Op("AddV2", {v[0], g.Int(1)}), g.Op("AddV2", {v[1], v[1]})};
      });
  g.Fetch(exits[0]);
  g.Fetch(exits[1]);
  const std::vector<int32_t> values = Run(g);
  EXPECT_EQ(values, (std::vector<int32_t>{7, 256}));
}

class LoopProgramFormTest : public ::testing::Test {
 protected:
  Status Prepare(FlowGraph& g) {
    DF_TRY(g.graph.InferShapes());
    DF_ASSIGN(plan_, BuildPlan(g.graph, device_, KernelRegistry::Builtin()));
    return Status();
  }
  int NumPrograms() const {
    return static_cast<int>(std::count_if(plan_->frames().begin(), plan_->frames().end(),
                                          [](const FramePlan& frame) { return frame.program != nullptr; }));
  }

  PlainDevice device_;
  WorkerPool pool_{1};
  std::unique_ptr<ExecPlan> plan_;
};

TEST_F(LoopProgramFormTest, ALoopAroundALoopDoesNotHaveIt) {
  FlowGraph g;
  CountTo(g, g.Int(3), {g.Int(0)}, [&](const Values& v) {
    const auto less = [&](const Values& w) { return g.Op("Less", {w[0], w[1]}); };
    const auto add = [&](const Values& w) { return Values{g.Op("AddV2", {w[0], g.Int(1)})}; };
    return g.While({v[1]}, {v[0]}, less, add);
  });
  ASSERT_TRUE(Prepare(g).ok());
  EXPECT_EQ(NumPrograms(), 1);
}

TEST_F(LoopProgramFormTest, AskingAMergeWhichInputCameTakesTheFormAway) {
  FlowGraph g;
  CountTo(g, g.Int(3), {g.Int(0)}, [&](const Values& v) {
    const Output branch = g.Op("Switch", {v[1], g.Op("Less", {v[1], v[0]})});
    const Output merge = g.Op("Merge", {{branch.node, 0}, {branch.node, 1}});
    return Values{g.Op("AddV2", {merge, {merge.node, 1}})};
  });
  ASSERT_TRUE(Prepare(g).ok());
  EXPECT_EQ(NumPrograms(), 0);
}

// A node that waits for branches of two predicates runs where both are taken, which no place in a line is.
TEST_F(LoopProgramFormTest, WaitingForTwoBranchesTakesTheFormAway) {
  FlowGraph g;
  CountTo(g, g.Int(3), {g.Int(0)}, [&](const Values& v) {
    const Output p = g.Op("Switch", {v[1], g.Op("Less", {v[1], v[0]})});
    const Output q = g.Op("Switch", {v[0], g.Op("Less", {v[0], g.Int(2)})});
    g.Op("AddV2", {p, q});
    return Values{v[1]};
  });
  ASSERT_TRUE(Prepare(g).ok());
  EXPECT_EQ(NumPrograms(), 0);
}

TEST_F(LoopProgramFormTest, OnlyTheTakenBranchIsTracedAndItsErrorsNameTheNode) {
  FlowGraph g;
  const Output n = g.Feed();
  g.Fetch(CountTo(g, n, {g.Int(5)}, [&](const Values& v) {
    return Values{g.Cond(
        g.Op("Less", {v[0], g.Int(3)}), v[1], [&](Output x) { return g.Op("Neg", {x}); },
        [&](Output x) {
          return g.Op("FloorDiv", {x, g.Op("Sub", {x, x})});
        })};
  })[1]);
  ASSERT_TRUE(Prepare(g).ok());
  ASSERT_EQ(NumPrograms(), 1);
  const auto run = [&](int32_t times, StepTrace* trace) {
    std::vector<Tensor> feeds = {Tensor::Scalar(times)};
    std::vector<Tensor> fetches(1);
    DF_TRY(RunPlan(*plan_, pool_, {.feeds = feeds, .fetches = fetches, .step = {}, .trace = trace}));
    EXPECT_EQ(fetches[0].scalar<int32_t>(), -5);
    return Status();
  };
  StepTrace trace;
  EXPECT_TRUE(run(3, &trace).ok());
  std::map<std::string, int> calls;
  const Trace taken = trace.Take();
  for (const TraceRecord& record : taken.records) ++calls[taken.node(record).op];
  EXPECT_EQ(calls, (std::map<std::string, int>{{"Less", 4 + 3}, {"AddV2", 3}, {"Neg", 3}}));
  EXPECT_THAT(run(4, nullptr).message(), HasSubstr("FloorDiv"));
  EXPECT_TRUE(run(3, nullptr).ok());
}

// The kernel's outputs are not of one shape, so the variable has none.
TEST_F(LoopProgramFormTest, AVariableMayGrow) {
  FlowGraph g;
  const Values exits = CountTo(g, g.Int(6), {g.Const("v", Tensor::Vector<int32_t>({9}))}, [&](const Values& v) {
    return Values{g.Op("ConcatV2", {v[1], v[1], g.Int(0)}, {{"N", 2}})};
  });
  g.Fetch(exits[1]);
  const Status prepared = Prepare(g);
  ASSERT_TRUE(prepared.ok()) << prepared.ToString();
  ASSERT_EQ(NumPrograms(), 1);
  std::vector<Tensor> fetches(1);
  const Status status = RunPlan(*plan_, pool_, {.feeds = {}, .fetches = fetches, .step = {}});
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(fetches[0].num_elements(), 64);
  for (int32_t value : fetches[0].values<int32_t>()) EXPECT_EQ(value, 9);
}

TEST_F(LoopProgramFormTest, AnErrorNamesTheNodeAndTheNextStepRuns) {
  FlowGraph g;
  const Output n = g.Feed();
  const Values exits = CountTo(g, n, {g.Int(100)}, [&](const Values& v) {
    return Values{g.Op("FloorDiv", {v[1], g.Op("Sub", {g.Int(3), v[0]})})};
  });
  g.Fetch(exits[1]);
  ASSERT_TRUE(Prepare(g).ok());
  ASSERT_EQ(NumPrograms(), 1);
  const auto run = [&](int32_t times) {
    std::vector<Tensor> feeds = {Tensor::Scalar(times)};
    std::vector<Tensor> fetches(1);
    DF_TRY(RunPlan(*plan_, pool_, {.feeds = feeds, .fetches = fetches, .step = {}}));
    EXPECT_EQ(fetches[0].scalar<int32_t>(), 100 / 3 / 2);
    return Status();
  };
  EXPECT_THAT(run(4).message(), HasSubstr("FloorDiv"));
  EXPECT_TRUE(run(2).ok());
}

TEST_F(LoopProgramFormTest, ALoopWithoutAnEndStopsWhenItsStepIsCancelled) {
  FlowGraph g;
  const Values exits = g.While(
      {g.Int(0)}, {},
      [&](const Values& v) {
        return g.Op("GreaterEqual", {v[0], g.Int(0)});
      },
      [&](const Values& v) {
        return Values{g.Op("BitwiseAnd", {v[0], g.Int(1)})};
      });
  g.Fetch(exits[0]);
  ASSERT_TRUE(Prepare(g).ok());
  ASSERT_EQ(NumPrograms(), 1);
  Cancellation cancellation;
  std::thread other([&] { cancellation.Cancel(Error(Code::kCancelled, "enough")); });
  std::vector<Tensor> fetches(1);
  const Status status =
      RunPlan(*plan_, pool_, {.feeds = {}, .fetches = fetches, .step = {.cancellation = &cancellation}});
  other.join();
  EXPECT_EQ(status.code(), Code::kCancelled);
}

TEST_F(LoopProgramFormTest, EachOfItsKernelCallsIsTraced) {
  FlowGraph g;
  g.Fetch(CountTo(g, g.Int(12), {g.Int(1)}, [&](const Values& v) { return Values{g.Op("Mul", {v[1], v[1]})}; })[1]);
  ASSERT_TRUE(Prepare(g).ok());
  ASSERT_EQ(NumPrograms(), 1);
  StepTrace trace;
  std::vector<Tensor> fetches(1);
  ASSERT_TRUE(RunPlan(*plan_, pool_, {.feeds = {}, .fetches = fetches, .step = {}, .trace = &trace}).ok());
  std::map<std::string, int> calls;
  const Trace taken = trace.Take();
  for (const TraceRecord& record : taken.records) ++calls[taken.node(record).op];
  EXPECT_EQ(calls, (std::map<std::string, int>{{"Less", 13}, {"AddV2", 12}, {"Mul", 12}}));
}

// On several threads iterations with an expensive kernel may overlap: they run in the general form, with the same bits.
TEST_F(LoopProgramFormTest, ExpensiveKernelsGiveTheSameBitsOnAnyNumberOfThreads) {
  FlowGraph g;
  Tensor start(DType::kFloat, Shape({64, 64}));
  for (int64_t i = 0; i < start.num_elements(); ++i) start.data<float>()[i] = static_cast<float>(i % 13) / 13.0F;
  const Output w = g.Const("w", start);
  g.Fetch(CountTo(g, g.Int(20), {w}, [&](const Values& v) {
    return Values{g.Op("Tanh", {g.Op("MatMul", {v[1], w})})};
  })[1]);
  ASSERT_TRUE(Prepare(g).ok());
  ASSERT_EQ(NumPrograms(), 1);
  Tensor one;
  for (int threads : {1, 3}) {
    WorkerPool pool(threads);
    std::vector<Tensor> fetches(1);
    ASSERT_TRUE(RunPlan(*plan_, pool, {.feeds = {}, .fetches = fetches, .step = {}}).ok());
    if (threads == 1) one = fetches[0];
    EXPECT_TRUE(fetches[0].Identical(one));
  }
}

}  // namespace
}  // namespace dfrun::testing
