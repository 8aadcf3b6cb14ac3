#include "src/session/session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "tests/unit/session/rank_threads.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using testing::GraphMaker;
using testing::RankThreads;

std::string TaskDevice(int task) {
  return StrCat("/job:worker/task:", task);
}

// W <- W * x + 1 with W on the last rank, and y = W * 2 on the one before; x is fed on rank 0.
GraphMaker MakeChain(int ranks) {
  GraphMaker g;
  const std::string far = TaskDevice(ranks - 1);
  const Output x = g.Placeholder("x", {-1}, DType::kFloat);
  const Output w = g.Add("W", "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({3})}});
  const Output start = g.Const("start", Tensor::Vector<float>({1, 2, 3}));
  const Output init = g.Add("init", "Assign", {w, start});
  const Output one = g.Scalar("one", 1.0f);
  const Output product = g.Add("product", "Mul", {w, x});
  const Output sum = g.Add("sum", "Add", {product, one});
  const Output update = g.Add("update", "Assign", {w, sum});
  const Output y = g.Add("y", "Mul", {update, g.Scalar("two", 2.0f)});
  for (Output o : {w, init, update}) g.node(o).device = far;
  g.node(product).device = TaskDevice(ranks > 2 ? 1 : 0);
  g.node(y).device = TaskDevice(std::max(0, ranks - 2));
  return g;
}

std::vector<Tensor> RunChain(int ranks, int threads) {
  RankThreads threads_of_ranks(ranks, threads);
  Result<std::unique_ptr<Session>> session = Session::Create(threads_of_ranks.master(), MakeChain(ranks).graph);
  EXPECT_TRUE(session.ok()) << session.status().ToString();
  EXPECT_TRUE((*session)->Run({}, {}, {"init"}).ok());
  std::vector<Tensor> all;
  for (int step = 0; step < 5; ++step) {
    const Tensor x = Tensor::Vector<float>({0.1f, 1.5f, -0.7f});
    Result<std::vector<Tensor>> out = (*session)->Run({{"x", x}}, {"y", "product:0"});
    EXPECT_TRUE(out.ok()) << out.status().ToString();
    if (!out.ok()) break;
    for (const Tensor& value : *out) all.push_back(*value.Copy(SystemAllocator()));  // the device's memory goes with it
  }
  return all;
}

class SessionOnRanks : public ::testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(SessionOnRanks, ComputesWhatOneRankDoes) {
  const auto [ranks, threads] = GetParam();
  const std::vector<Tensor> out = RunChain(ranks, threads);
  ASSERT_EQ(out.size(), 10u);
  float w[3] = {1, 2, 3};
  const float x[3] = {0.1f, 1.5f, -0.7f};
  for (int step = 0; step < 5; ++step) {
    for (int i = 0; i < 3; ++i) {
      const float product = w[i] * x[i];
      EXPECT_EQ(out[2 * step + 1].data<float>()[i], product);
      w[i] = product + 1;
      EXPECT_EQ(out[2 * step].data<float>()[i], w[i] * 2);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, SessionOnRanks,
                         ::testing::Combine(::testing::Values(1, 2, 3, 4, 7), ::testing::Values(1, 2)));

TEST(SessionTest, RunsPreparedStepsWithoutNames) {
  RankThreads ranks(1);
  GraphMaker g;
  const Output x = g.Placeholder("x", {2}, DType::kFloat);
  const Output y = g.Add("y", "Add", {x, x});
  Result<std::unique_ptr<Session>> session = Session::Create(ranks.master(), std::move(g.graph));
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  RunSignature signature;
  signature.feeds = {x};
  signature.fetches = {y};
  Result<Session::Handle> step = (*session)->Prepare(signature);
  ASSERT_TRUE(step.ok()) << step.status().ToString();
  EXPECT_EQ(*(*session)->Prepare(signature), *step);
  const Tensor feed[] = {Tensor::Vector<float>({1, 2})};
  Tensor fetch[1];
  ASSERT_TRUE((*session)->RunStep(*step, feed, fetch).ok());
  EXPECT_TRUE(fetch[0].Identical(Tensor::Vector<float>({2, 4})));
  EXPECT_EQ((*session)->steps_run(), 1);
}

TEST(SessionTest, RefusesFeedsThatDoNotFit) {
  RankThreads ranks(1);
  GraphMaker g;
  const Output x = g.Placeholder("x", {2}, DType::kFloat);
  g.Add("y", "Add", {x, x});
  Result<std::unique_ptr<Session>> session = Session::Create(ranks.master(), std::move(g.graph));
  ASSERT_TRUE(session.ok());
  RunSignature signature;
  signature.feeds = {x};
  signature.fetches = {Output{1, 0}};
  Result<Session::Handle> step = (*session)->Prepare(signature);
  ASSERT_TRUE(step.ok()) << step.status().ToString();
  Tensor fetch[1];
  for (const Tensor& bad : {Tensor::Vector<float>({1, 2, 3}), Tensor::Vector<int32_t>({1, 2}), Tensor()}) {
    const Status status = (*session)->RunStep(*step, {&bad, 1}, fetch);
    EXPECT_EQ(status.code(), Code::kInvalidArgument);
    EXPECT_NE(status.message().find("'x'"), std::string::npos) << status.ToString();
  }
  EXPECT_EQ((*session)->RunStep(*step, {}, fetch).code(), Code::kInvalidArgument);
  EXPECT_EQ((*session)->Run({{"x", Tensor::Scalar(1.0f)}}, {"y"}).status().code(), Code::kInvalidArgument);
  EXPECT_EQ((*session)->Run({}, {"z"}).status().code(), Code::kNotFound);
}

TEST(SessionTest, BatchesOfStepsCountOnEveryRank) {
  RankThreads ranks(3);
  GraphMaker g;
  const Output w = g.Add("W", "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape::Scalar()}});
  const Output v = g.Add("V", "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape::Scalar()}});
  const Output zero = g.Scalar("zero", 0.0f);
  const Output one = g.Scalar("one", 1.0f);
  g.node(w).device = TaskDevice(1);
  g.node(v).device = TaskDevice(2);
  g.Add("init_w", "Assign", {w, zero});
  g.Add("init_v", "Assign", {v, zero});
  const Output count = g.Add("count", "AssignAdd", {w, one});
  g.Add("add", "AssignAdd", {v, count});
  Result<std::unique_ptr<Session>> session = Session::Create(ranks.master(), std::move(g.graph));
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  ASSERT_TRUE((*session)->Run({}, {}, {"init_w", "init_v"}).ok());
  RunSignature signature;
  signature.targets = {(*session)->graph().Find("add")};
  Result<Session::Handle> step = (*session)->Prepare(signature);
  ASSERT_TRUE(step.ok()) << step.status().ToString();
  const Status run = (*session)->RunSteps(*step, 250);
  ASSERT_TRUE(run.ok()) << run.ToString();
  Result<std::vector<Tensor>> out = (*session)->Run({}, {"W", "V"});
  ASSERT_TRUE(out.ok()) << out.status().ToString();
  EXPECT_EQ((*out)[0].scalar<float>(), 250.0f);
  EXPECT_EQ((*out)[1].scalar<float>(), 250.0f * 251 / 2);
}

TEST(SessionTest, StepsThatWereNotPreparedAreRefused) {
  RankThreads ranks(1);
  GraphMaker g;
  g.Scalar("one", 1.0f);
  Result<std::unique_ptr<Session>> session = Session::Create(ranks.master(), std::move(g.graph));
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  EXPECT_EQ((*session)->RunStep(nullptr, {}, {}).code(), Code::kInvalidArgument);
  EXPECT_EQ((*session)->RunSteps(nullptr, 1).code(), Code::kInvalidArgument);
  RunSignature signature;
  signature.targets = {(*session)->graph().Find("one")};
  const Result<Session::Handle> step = (*session)->Prepare(signature);
  ASSERT_TRUE(step.ok()) << step.status().ToString();
  EXPECT_EQ((*session)->RunSteps(*step, -1).code(), Code::kInvalidArgument);
  EXPECT_TRUE((*session)->RunSteps(*step, 0).ok());
}

TEST(SessionTest, CarriesStringsUnknownShapesAndHighRanks) {
  RankThreads ranks(2);
  GraphMaker g;
  Tensor text(DType::kString, Shape({2, 1, 1, 1, 1, 1, 2}));
  for (int i = 0; i < 4; ++i) text.data<std::string>()[i] = std::string(i * 1000, 'a' + i);
  const Output s = g.Const("s", text);
  const Output x = g.Placeholder("x", PartialShape(), DType::kFloat);
  const Output there = g.Add("there", "Identity", {s});
  const Output back = g.Add("back", "Identity", {there});
  const Output far = g.Add("far", "Neg", {x});
  const Output near = g.Add("near", "Neg", {far});
  for (Output o : {there, far}) g.node(o).device = TaskDevice(1);
  for (Output o : {back, near}) g.node(o).device = TaskDevice(0);
  SessionOptions options;
  options.optimize = false;
  Result<std::unique_ptr<Session>> session = Session::Create(ranks.master(), std::move(g.graph), options);
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  RunSignature signature;
  signature.feeds = {x};
  signature.fetches = {back, near};
  Result<Session::Handle> step = (*session)->Prepare(signature);
  ASSERT_TRUE(step.ok()) << step.status().ToString();
  for (const Shape& shape : {Shape({}), Shape({0, 3}), Shape({2, 1, 3}), Shape({1, 2, 1, 2, 1, 2, 1, 2})}) {
    Tensor feed(DType::kFloat, shape);
    for (int64_t i = 0; i < feed.num_elements(); ++i) feed.data<float>()[i] = static_cast<float>(i) + 0.5f;
    Tensor fetch[2];
    const Status status = (*session)->RunStep(*step, {&feed, 1}, fetch);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_TRUE(fetch[0].Identical(text));
    EXPECT_TRUE(fetch[1].Identical(feed)) << fetch[1].ToString();
  }
}

TEST(SessionTest, AnErrorOfCompilingLeavesTheSessionAsItWas) {
  RankThreads ranks(2);
  GraphMaker g;
  const Output x = g.Scalar("x", 1.0f);
  const Output y = g.Add("y", "Neg", {x});
  const Output bad = g.Add("bad", "Neg", {x});
  g.node(y).device = TaskDevice(1);
  g.node(bad).device = "/job:nowhere";
  Result<std::unique_ptr<Session>> session = Session::Create(ranks.master(), std::move(g.graph));
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  const Status status = (*session)->Run({}, {"bad"}).status();
  EXPECT_NE(status.message().find("/job:nowhere"), std::string::npos) << status.ToString();
  Result<std::vector<Tensor>> out = (*session)->Run({}, {"y"});
  ASSERT_TRUE(out.ok()) << out.status().ToString();
  EXPECT_EQ((*out)[0].scalar<float>(), -1.0f);
}

// Ranks 0..ranks-1 wait for a value of rank `failing`, which reads a variable that has none.
GraphMaker MakeFailing(int ranks, int failing) {
  GraphMaker g;
  const Output w = g.Add("unset", "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({1000})}});
  const Output broken = g.Add("broken", "Neg", {w});
  g.node(w).device = g.node(broken).device = TaskDevice(failing);
  for (int rank = 0; rank < ranks; ++rank) {
    const Output waits = g.Add(StrCat("waits_", rank), "Neg", {broken});
    g.node(waits).device = TaskDevice(rank);
  }
  return g;
}

class FailingRank : public ::testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(FailingRank, IsReportedAndEndsTheSession) {
  const auto [count, failing] = GetParam();
  RankThreads ranks(count);
  Result<std::unique_ptr<Session>> session = Session::Create(ranks.master(), MakeFailing(count, failing).graph);
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  std::vector<std::string> targets;
  for (int rank = 0; rank < count; ++rank) targets.push_back(StrCat("waits_", rank));
  const Status first = (*session)->Run({}, {}, targets).status();
  EXPECT_EQ(first.code(), Code::kFailedPrecondition) << first.ToString();
  for (const std::string& part :
       {StrCat("rank ", failing, " (host "), StrCat("task:", failing), std::string("broken")}) {
    EXPECT_NE(first.message().find(part), std::string::npos) << first.ToString();
  }
  EXPECT_EQ((*session)->Run({}, {}, targets).status(), first);
  EXPECT_EQ((*session)->Run({}, {"waits_0"}).status(), first);
  session->reset();
  GraphMaker empty;
  EXPECT_EQ(Session::Create(ranks.master(), std::move(empty.graph)).status(), first);
  const std::vector<Status>& served = ranks.Stop(first);
  for (int rank = 1; rank < count; ++rank) EXPECT_EQ(served[rank], first);
}

INSTANTIATE_TEST_SUITE_P(Ranks, FailingRank,
                         ::testing::Values(std::tuple{2, 0}, std::tuple{2, 1}, std::tuple{3, 2}, std::tuple{4, 3},
                                           std::tuple{6, 5}));

TEST(SessionTest, OneRankGoesOnAfterAnError) {
  RankThreads ranks(1);
  GraphMaker g = MakeFailing(1, 0);
  const Output fine = g.Add("fine", "Neg", {g.Scalar("one", 1.0f)});
  Result<std::unique_ptr<Session>> session = Session::Create(ranks.master(), std::move(g.graph));
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  EXPECT_EQ((*session)->Run({}, {"broken"}).status().code(), Code::kFailedPrecondition);
  EXPECT_TRUE((*session)->Run({}, {"fine"}).ok());
  EXPECT_EQ((*session)->graph().dtype(fine), DType::kFloat);
}

TEST(SessionTest, ThreadsMayRunStepsTogether) {
  for (int count : {1, 3}) {
    RankThreads ranks(count, 2);
    GraphMaker g;
    const Output x = g.Placeholder("x", {1000}, DType::kFloat);
    const Output y = g.Add("y", "Neg", {x});
    g.node(y).device = TaskDevice(count - 1);
    Result<std::unique_ptr<Session>> session = Session::Create(ranks.master(), std::move(g.graph));
    ASSERT_TRUE(session.ok()) << session.status().ToString();
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 4; ++caller) {
      callers.emplace_back([&session, caller] {
        Tensor feed(DType::kFloat, Shape({1000}));
        std::fill_n(feed.data<float>(), 1000, static_cast<float>(caller + 1));
        for (int i = 0; i < 50; ++i) {
          Result<std::vector<Tensor>> out = (*session)->Run({{"x", feed}}, {"y"});
          ASSERT_TRUE(out.ok()) << out.status().ToString();
          EXPECT_EQ((*out)[0].data<float>()[999], static_cast<float>(-caller - 1));
        }
      });
    }
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ((*session)->steps_run(), 200);
  }
}

TEST(SessionTest, SessionsFollowEachOther) {
  RankThreads ranks(2);
  for (int i = 0; i < 3; ++i) {
    GraphMaker g;
    const Output y = g.Add("y", "Neg", {g.Scalar("x", static_cast<float>(i))});
    const Output z = g.Add("z", "Neg", {y});
    g.node(y).device = TaskDevice(1);
    g.node(z).device = TaskDevice(0);
    SessionOptions options;
    options.optimize = false;
    Result<std::unique_ptr<Session>> session = Session::Create(ranks.master(), std::move(g.graph), options);
    ASSERT_TRUE(session.ok()) << session.status().ToString();
    Result<std::vector<Tensor>> out = (*session)->Run({}, {"z"});
    ASSERT_TRUE(out.ok()) << out.status().ToString();
    EXPECT_EQ((*out)[0].scalar<float>(), static_cast<float>(i));
    EXPECT_TRUE((*session)->Close().ok());
    EXPECT_EQ((*session)->Run({}, {"z"}).status().code(), Code::kFailedPrecondition);
  }
}

TEST(SessionTest, ShutdownCarriesItsStatus) {
  RankThreads ranks(5);
  const std::vector<Status>& served = ranks.Stop(IoError("disk"));
  for (int rank = 1; rank < 5; ++rank) EXPECT_EQ(served[rank], IoError("disk"));
}

}  // namespace
}  // namespace dfrun
