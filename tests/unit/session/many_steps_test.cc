// Requests of many steps of several executables in flight together, on one rank and on several.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <tuple>

#include "src/graph/graph_ops.h"
#include "src/session/session.h"
#include "tests/unit/session/rank_threads.h"

namespace dfrun {
namespace {

class ManySteps : public ::testing::TestWithParam<std::tuple<int, int>> {
 protected:
  // Makes a session with the counters "a" and "b" at 0, on the last rank; a step of "a_add" or "b_add" adds 1.
  static void MakeCounters(testing::RankThreads& rank_threads, int ranks, std::unique_ptr<Session>* made) {
    Graph graph;
    GraphOps ops(graph, "", StrCat("/job:worker/task:", ranks - 1));
    const Output one = ops.Const("one", Tensor::Scalar<int64_t>(1));
    for (const char* name : {"a", "b"}) {
      const Output count = ops.Add(name, "VariableV2", {}, {{"shape", Shape()}, {"dtype", DType::kInt64}});
      ops.Add(StrCat(name, "_begin"), "Assign", {count, ops.Const("zero", Tensor::Scalar<int64_t>(0))});
      ops.Add(StrCat(name, "_add"), "AssignAdd", {count, one});
    }
    ASSERT_TRUE(ops.status().ok()) << ops.status().ToString();
    auto session = Session::Create(rank_threads.master(), std::move(graph));
    ASSERT_TRUE(session.ok()) << session.status().ToString();
    ASSERT_TRUE((*session)->Run({}, {}, {"a_begin", "b_begin"}).ok());
    *made = *std::move(session);
  }
};

TEST_P(ManySteps, RunAllThoughOthersRunBesideThem) {
  const auto [ranks, threads] = GetParam();
  testing::RankThreads rank_threads(ranks, threads);
  std::unique_ptr<Session> session;
  ASSERT_NO_FATAL_FAILURE(MakeCounters(rank_threads, ranks, &session));
  const std::array<Session::Handle, 2> adds = {*session->Prepare({}, {}, {"a_add"}),
                                               *session->Prepare({}, {}, {"b_add"})};
  constexpr int kRequests = 4;
  constexpr int64_t kSteps = 25;
  std::array<std::unique_ptr<PendingStep>, 2> running;
  std::array<int, 2> begun{};
  for (int ended = 0; ended < 2 * kRequests;) {
    for (size_t i = 0; i < running.size(); ++i) {
      if (running[i] != nullptr || begun[i] == kRequests) continue;
      running[i] = *session->StartSteps(adds[i], kSteps);
      ++begun[i];
    }
    session->WaitForAny(running);
    const int before = ended;
    for (std::unique_ptr<PendingStep>& run : running) {
      if (run == nullptr || !run->ended()) continue;
      ASSERT_TRUE(run->Wait({}).ok());
      run.reset();
      ++ended;
    }
    ASSERT_GT(ended, before) << "none has ended";
  }
  const auto counts = session->Run({}, {"a", "b"});
  ASSERT_TRUE(counts.ok()) << counts.status().ToString();
  EXPECT_EQ((*counts)[0].scalar<int64_t>(), kRequests * kSteps);
  EXPECT_EQ((*counts)[1].scalar<int64_t>(), kRequests * kSteps);
  EXPECT_EQ(session->StartSteps(adds[0], 0).status().code(), Code::kInvalidArgument);
}

// A request of one step ends long before one of many that was made before it, though one thread runs both.
TEST_P(ManySteps, LetOthersIn) {
  const auto [ranks, threads] = GetParam();
  testing::RankThreads rank_threads(ranks, threads);
  std::unique_ptr<Session> session;
  ASSERT_NO_FATAL_FAILURE(MakeCounters(rank_threads, ranks, &session));
  const Session::Handle many = *session->Prepare({}, {}, {"a_add"});
  const Session::Handle single = *session->Prepare({}, {}, {"b_add"});
  constexpr int64_t kSteps = 300'000;
  const auto first = session->StartSteps(many, kSteps);
  ASSERT_TRUE(first.ok()) << first.status().ToString();
  const auto second = session->StartStep(single);
  ASSERT_TRUE(second.ok() && (*second)->Wait({}).ok());
  // On one rank the first request runs in the call that makes it, since nothing else is there then.
  EXPECT_TRUE(ranks == 1 || !(*first)->ended());
  ASSERT_TRUE((*first)->Wait({}).ok());
  const auto counts = session->Run({}, {"a", "b"});
  ASSERT_TRUE(counts.ok()) << counts.status().ToString();
  EXPECT_EQ((*counts)[0].scalar<int64_t>(), kSteps);
  EXPECT_EQ((*counts)[1].scalar<int64_t>(), 1);
}

// A variable on the last rank adds the numbers of the steps.
TEST_P(ManySteps, HaveTheNumbersThatTheirCallerGives) {
  const auto [ranks, threads] = GetParam();
  testing::RankThreads rank_threads(ranks, threads);
  Graph graph;
  GraphOps ops(graph, "", StrCat("/job:worker/task:", ranks - 1));
  const Output sum = ops.Add("sum", "VariableV2", {}, {{"shape", Shape()}, {"dtype", DType::kInt64}});
  ops.Add("begin", "Assign", {sum, ops.Const("zero", Tensor::Scalar<int64_t>(0))});
  ops.Add("add", "AssignAdd", {sum, ops.Add("number", "_StepNumber", {})});
  ASSERT_TRUE(ops.status().ok()) << ops.status().ToString();
  const auto session = Session::Create(rank_threads.master(), std::move(graph));
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  ASSERT_TRUE((*session)->Run({}, {}, {"begin"}).ok());
  const Session::Handle add = *(*session)->Prepare({}, {}, {"add"});
  constexpr int64_t kSteps = 150;  // more than one request has
  ASSERT_TRUE((*session)->RunSteps(add, kSteps, nullptr, 7).ok());
  ASSERT_TRUE((*session)->RunStep(add, {}, {}, 10'000).ok());
  const auto pending = (*session)->StartStep(add, {}, 1'000'000);
  ASSERT_TRUE(pending.ok() && (*pending)->Wait({}).ok());
  const auto sums = (*session)->Run({}, {"sum"});
  ASSERT_TRUE(sums.ok()) << sums.status().ToString();
  EXPECT_EQ((*sums)[0].scalar<int64_t>(), kSteps * 7 + kSteps * (kSteps - 1) / 2 + 1'010'000);
}

INSTANTIATE_TEST_SUITE_P(Ranks, ManySteps, ::testing::Combine(::testing::Values(1, 2, 3), ::testing::Values(1, 2)),
                         [](const auto& info) {
                           return StrCat(std::get<0>(info.param), "_ranks_", std::get<1>(info.param), "_threads");
                         });

}  // namespace
}  // namespace dfrun
