// Steps that wait for each other, share queues by name, and fail, which graphs exported by TensorFlow do not show.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "src/session/session.h"
#include "tests/unit/session/rank_threads.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using testing::GraphMaker;
using testing::RankThreads;

const AttrMap kInt64Components{{"component_types", std::vector<DType>{DType::kInt64}}};

Output AddQueue(GraphMaker& g, const std::string& name, int64_t capacity, const std::string& shared_name = "") {
  return g.Add(name, "FIFOQueueV2", {},
               {{"component_types", std::vector<DType>{DType::kInt64}},
                {"shapes", std::vector<PartialShape>{PartialShape::Scalar()}},
                {"capacity", capacity},
                {"shared_name", shared_name}});
}

std::unique_ptr<Session> Open(RankThreads& ranks, GraphMaker& g) {
  Result<std::unique_ptr<Session>> session = Session::Create(ranks.master(), std::move(g.graph));
  EXPECT_TRUE(session.ok()) << session.status().ToString();
  return *std::move(session);
}

TEST(QueueTest, AStepWaitsForAnother) {
  RankThreads ranks(1);
  GraphMaker g;
  const Output queue = AddQueue(g, "queue", 10);
  g.Add("put", "QueueEnqueueV2", {queue, g.Placeholder("x", PartialShape::Scalar(), DType::kInt64)});
  g.Add("get", "QueueDequeueV2", {queue}, kInt64Components);
  const std::unique_ptr<Session> session = Open(ranks, g);
  Result<std::vector<Tensor>> got = Internal("nothing came");
  std::thread waiting([&] { got = session->Run({}, {"get"}); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(session->Run({{"x", Tensor::Scalar<int64_t>(42)}}, {}, {"put"}).ok());
  waiting.join();
  ASSERT_TRUE(got.ok()) << got.status().ToString();
  EXPECT_EQ((*got)[0].scalar<int64_t>(), 42);
}

TEST(QueueTest, AFailureOfItsStepEndsACallAndLeavesTheElements) {
  RankThreads ranks(1, 2);
  GraphMaker g;
  const Output queue = AddQueue(g, "queue", 10);
  g.Add("put", "QueueEnqueueManyV2", {queue, g.Const("values", Tensor::Vector<int64_t>({1, 2, 3}))});
  g.Add("too_many", "QueueDequeueManyV2", {queue, g.Const("n", Tensor::Scalar<int32_t>(4))}, kInt64Components);
  g.Add("broken", "CheckNumerics", {g.Scalar("nan", std::nan(""))}, {{"message", std::string("planted")}});
  g.Add("all", "QueueDequeueManyV2", {queue, g.Const("three", Tensor::Scalar<int32_t>(3))}, kInt64Components);
  const std::unique_ptr<Session> session = Open(ranks, g);
  ASSERT_TRUE(session->Run({}, {}, {"put"}).ok());
  const Status failed = session->Run({}, {"too_many"}, {"broken"}).status();
  EXPECT_NE(failed.message().find("planted"), std::string::npos) << failed.ToString();
  const Result<std::vector<Tensor>> all = session->Run({}, {"all"});
  ASSERT_TRUE(all.ok()) << all.status().ToString();
  EXPECT_TRUE((*all)[0].Identical(Tensor::Vector<int64_t>({1, 2, 3}))) << (*all)[0].ToString();
}

TEST(QueueTest, HowManyAreTakenMayStandInAVector) {
  RankThreads ranks(1);
  GraphMaker g;
  const Output queue = AddQueue(g, "queue", 10);
  g.Add("put", "QueueEnqueueManyV2", {queue, g.Const("values", Tensor::Vector<int64_t>({1, 2, 3}))});
  g.Add("two", "QueueDequeueManyV2", {queue, g.Const("n", Tensor::Vector<int32_t>({2}))}, kInt64Components);
  const std::unique_ptr<Session> session = Open(ranks, g);
  ASSERT_TRUE(session->Run({}, {}, {"put"}).ok());
  const Result<std::vector<Tensor>> two = session->Run({}, {"two"});
  ASSERT_TRUE(two.ok()) << two.status().ToString();
  EXPECT_TRUE((*two)[0].Identical(Tensor::Vector<int64_t>({1, 2}))) << (*two)[0].ToString();
}

TEST(QueueTest, ADequeueThatACloseCutShortHasEnded) {
  RankThreads ranks(1, 2);
  GraphMaker g;
  const Output queue = AddQueue(g, "queue", 10);
  g.Add("put", "QueueEnqueueManyV2", {queue, g.Const("values", Tensor::Vector<int64_t>({1, 2, 3}))});
  const Output n = g.Const("n", Tensor::Scalar<int32_t>(4));
  const Output some = g.Add("some", "QueueDequeueUpToV2", {queue, n}, kInt64Components);
  g.Add("closed", "QueueCloseV2", {queue});
  const Output broken =
      g.Add("broken", "CheckNumerics", {g.Scalar("nan", std::nan(""))}, {{"message", std::string("planted")}});
  g.node(broken).control_inputs = {some.node};
  g.Add("size", "QueueSizeV2", {queue});
  const std::unique_ptr<Session> session = Open(ranks, g);
  ASSERT_TRUE(session->Run({}, {}, {"put"}).ok());
  Status failed;
  std::thread waiting([&] { failed = session->Run({}, {}, {"broken"}).status(); });
  while ((*session->Run({}, {"size"}))[0].scalar<int32_t>() > 0) std::this_thread::yield();
  EXPECT_TRUE(session->Run({}, {}, {"closed"}).ok());
  waiting.join();
  EXPECT_NE(failed.message().find("planted"), std::string::npos) << failed.ToString();
  EXPECT_EQ((*session->Run({}, {"size"}))[0].scalar<int32_t>(), 0);
}

// Returns a graph with two nodes of one shared name: enqueues use a queue of capacity 10, dequeues one of `capacity`.
GraphMaker TwoNamesOfAQueue(int64_t capacity) {
  GraphMaker g;
  const Output in = AddQueue(g, "in", 10, "shared");
  const Output out = AddQueue(g, "out", capacity, "shared");
  g.Add("put", "QueueEnqueueV2", {in, g.Const("seven", Tensor::Scalar<int64_t>(7))});
  g.Add("get", "QueueDequeueV2", {out}, kInt64Components);
  return g;
}

TEST(QueueTest, NodesWithOneSharedNameAreOneQueue) {
  RankThreads ranks(1);
  GraphMaker g = TwoNamesOfAQueue(10);
  const std::unique_ptr<Session> session = Open(ranks, g);
  ASSERT_TRUE(session->Run({}, {}, {"put"}).ok());
  const Result<std::vector<Tensor>> got = session->Run({}, {"get"});
  ASSERT_TRUE(got.ok()) << got.status().ToString();
  EXPECT_EQ((*got)[0].scalar<int64_t>(), 7);
}

TEST(QueueTest, ASharedNameOfAnotherSortIsRefused) {
  RankThreads ranks(1);
  GraphMaker g = TwoNamesOfAQueue(11);
  const std::unique_ptr<Session> session = Open(ranks, g);
  const Status status = session->Run({}, {"get"}, {"put"}).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument) << status.ToString();
  EXPECT_NE(status.message().find("shares FIFOQueue 'shared'"), std::string::npos) << status.ToString();
}

TEST(MutexTest, ALockOfAStepIsReleasedAtItsEnd) {
  RankThreads ranks(1);
  GraphMaker g;
  const Output mutex = g.Add("mutex", "MutexV2", {});
  g.Add("lock", "MutexAcquire", {mutex});
  const std::unique_ptr<Session> session = Open(ranks, g);
  for (int step = 0; step < 3; ++step) EXPECT_TRUE(session->Run({}, {}, {"lock"}).ok());
}

TEST(MutexTest, TheLastReaderOfALockReleasesIt) {
  RankThreads ranks(1);
  GraphMaker g;
  const Output mutex = g.Add("mutex", "MutexV2", {});
  g.Add("unread", "MutexLock", {mutex});
  const Output first = g.Add("first", "MutexLock", {mutex});
  g.Add("first_reader", "Identity", {first});
  g.Add("second_reader", "Identity", {first});
  g.Add("second", "MutexLock", {mutex});
  const std::unique_ptr<Session> session = Open(ranks, g);
  for (int step = 0; step < 3; ++step) {
    const Status status = session->Run({}, {}, {"unread", "first_reader", "second_reader", "second"}).status();
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
}

TEST(MutexTest, ALockThatOutlivesItsStepIsReleased) {
  RankThreads ranks(1);
  GraphMaker g;
  g.Add("lock", "MutexLock", {g.Add("mutex", "MutexV2", {})});
  const std::unique_ptr<Session> session = Open(ranks, g);
  std::vector<Tensor> locks;
  for (int step = 0; step < 3; ++step) {
    const Result<std::vector<Tensor>> out = session->Run({}, {"lock"});
    ASSERT_TRUE(out.ok()) << out.status().ToString();
    locks.push_back((*out)[0]);
  }
}

TEST(MutexTest, StepsHoldItOneAfterTheOther) {
  RankThreads ranks(1, 2);
  GraphMaker g;
  const Output mutex = g.Add("mutex", "MutexV2", {});
  const Output lock = g.Add("lock", "MutexAcquire", {mutex});
  const Output variable = g.Add("v", "VarHandleOp", {}, {{"dtype", DType::kInt64}, {"shape", PartialShape::Scalar()}});
  g.Add("init", "AssignVariableOp", {variable, g.Const("zero", Tensor::Scalar<int64_t>(0))});
  const Output read = g.Add("read", "ReadVariableOp", {variable}, {{"dtype", DType::kInt64}});
  g.node(read).control_inputs = {lock.node};
  const Output more = g.Add("more", "Add", {read, g.Const("one", Tensor::Scalar<int64_t>(1))});
  const Output write = g.Add("write", "AssignVariableOp", {variable, more});
  const Output release = g.Add("release", "MutexRelease", {lock});
  g.node(release).control_inputs = {write.node};
  g.Add("value", "ReadVariableOp", {variable}, {{"dtype", DType::kInt64}});
  const std::unique_ptr<Session> session = Open(ranks, g);
  ASSERT_TRUE(session->Run({}, {}, {"init"}).ok());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) EXPECT_TRUE(session->Run({}, {}, {"release"}).ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ((*session->Run({}, {"value"}))[0].scalar<int64_t>(), 400);
}

}  // namespace
}  // namespace dfrun
