// Loops over two ranks that fail, or that would never end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/session/session.h"
#include "tests/unit/session/rank_threads.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using ::testing::HasSubstr;

// The loop while (i < limit) { quotient = 100 / (5 - i); i = i + 1; }
class FlowFailure : public ::testing::TestWithParam<int> {
 protected:
  Output On(int rank, const std::string& name, const std::string& op, std::vector<Output> inputs, AttrMap attrs = {}) {
    const Output added = m.Add(name, op, std::move(inputs), std::move(attrs));
    m.node(added).device = StrCat("/job:worker/task:", rank);
    return added;
  }
  Output Int(const std::string& name, int32_t value) { return m.Scalar<int32_t>(name, value); }
  Output Invariant(Output value) {
    return On(0, m.node(value).name + "_in", "Enter", {value}, {{"frame_name", "loop"}, {"is_constant", true}});
  }
  // Makes a loop that counts on rank 0 and divides on rank `divides_on`, or not at all if that is below 0.
  void MakeLoop(int32_t limit, int divides_on) {
    NodeSpec spec;
    spec.name = "i";
    spec.op = "Merge";
    spec.inputs = {On(0, "enter", "Enter", {Int("zero", 0)}, {{"frame_name", "loop"}}), Output{}};
    spec.attrs = {{"T", DType::kInt32}, {"N", 2}};
    spec.device = "/job:worker/task:0";
    const Output i = m.Add(std::move(spec));
    const Output goes_on = On(0, "less", "Less", {i, Invariant(Int("limit", limit))});
    const Output branch = On(0, "branch", "Switch", {i, On(0, "cond", "LoopCond", {goes_on})});
    const Output inside = {branch.node, 1};
    Output step = Invariant(Int("one", 1));
    if (divides_on >= 0) {
      const Output left = On(divides_on, "left", "Sub", {Invariant(Int("five", 5)), inside});
      const Output quotient = On(divides_on, "quotient", "FloorDiv", {Invariant(Int("hundred", 100)), left});
      step = On(0, "step", "Sub", {step, On(0, "nothing", "Sub", {quotient, quotient})});
    }
    const Output next = On(0, "next", "NextIteration", {On(0, "add", "AddV2", {inside, step})});
    ASSERT_TRUE(m.graph.SetInput(i.node, 1, next).ok());
    On(0, "exit", "Exit", {{branch.node, 0}});
  }

  testing::GraphMaker m;
};

TEST_P(FlowFailure, AnErrorInAnIterationEndsTheLoopOnEveryRank) {
  for (int rank : {0, 1}) {
    m = testing::GraphMaker();
    MakeLoop(1000, rank);
    testing::RankThreads ranks(2, GetParam());
    const auto session = Session::Create(ranks.master(), std::move(m.graph));
    ASSERT_TRUE(session.ok()) << session.status().ToString();
    const Status status = (*session)->Run({}, {"exit"}).status();
    EXPECT_EQ(status.code(), Code::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr(StrCat("rank ", rank)));
    EXPECT_THAT(status.message(), HasSubstr("quotient"));
  }
}

TEST_P(FlowFailure, LoopsOverRanksCount) {
  m = testing::GraphMaker();
  MakeLoop(5, 1);
  testing::RankThreads ranks(2, GetParam());
  const auto session = Session::Create(ranks.master(), std::move(m.graph));
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  for (int step = 0; step < 20; ++step) {
    const Result<std::vector<Tensor>> out = (*session)->Run({}, {"exit"});
    ASSERT_TRUE(out.ok()) << out.status().ToString();
    EXPECT_EQ((*out)[0].scalar<int32_t>(), 5);
  }
}

// The loop adds 0, which is fed, on rank 0 alone.
TEST_P(FlowFailure, AnErrorElsewhereEndsALoopThatWouldNotEnd) {
  MakeLoop(1, -1);
  On(1, "broken", "FloorDiv",
     {On(1, "shape", "Size",
         {On(1, "unset", "VariableV2", {}, {{"dtype", DType::kInt32}, {"shape", PartialShape({2})}})}),
      Int("nought", 0)});
  testing::RankThreads ranks(2, GetParam());
  SessionOptions options;
  options.optimize = false;
  const auto session = Session::Create(ranks.master(), std::move(m.graph), options);
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  const Status status = (*session)->Run({{"one", Tensor::Scalar<int32_t>(0)}}, {"exit"}, {"broken"}).status();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.message(), HasSubstr("rank 1"));
}

INSTANTIATE_TEST_SUITE_P(Threads, FlowFailure, ::testing::Values(1, 3));

}  // namespace
}  // namespace dfrun
