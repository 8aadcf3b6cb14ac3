// Producers and consumers at once, with closing and cancelling at random: nothing is lost, nothing comes twice, and
// nothing hangs. DFRUN_QUEUE_ROUNDS sets the number of rounds.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "src/session/session.h"
#include "tests/unit/session/rank_threads.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using testing::GraphMaker;
using testing::RankThreads;

constexpr int kProducers = 16;
constexpr int kConsumers = 16;

int Rounds(int standard) {
  const char* rounds = std::getenv("DFRUN_QUEUE_ROUNDS");
  return rounds == nullptr ? standard : std::atoi(rounds);
}

std::string TaskDevice(int task) {
  return StrCat("/job:worker/task:", task);
}

Output AddQueue(GraphMaker& g, const std::string& kind, int64_t capacity, int64_t min_after_dequeue) {
  AttrMap attrs{{"component_types", std::vector<DType>{DType::kInt64}},
                {"shapes", std::vector<PartialShape>{PartialShape::Scalar()}},
                {"capacity", capacity}};
  if (kind == "RandomShuffleQueueV2") attrs.Set("min_after_dequeue", min_after_dequeue);
  return g.Add("queue", kind, {}, attrs);
}

// Every producer and consumer is a thread that runs steps of its own.
class QueueOfSteps {
 public:
  QueueOfSteps(const std::string& kind, int64_t capacity) : ranks_(1, 2) {
    GraphMaker g;
    const AttrMap types{{"component_types", std::vector<DType>{DType::kInt64}}};
    const Output queue = AddQueue(g, kind, capacity, capacity / 4);
    const Output x = g.Placeholder("x", PartialShape(), DType::kInt64);
    g.Add("enqueue", "QueueEnqueueV2", {queue, x});
    g.Add("enqueue_many", "QueueEnqueueManyV2", {queue, x});
    g.Add("dequeue", "QueueDequeueV2", {queue}, types);
    g.Add("dequeue_many", "QueueDequeueManyV2", {queue, g.Const("n", Tensor::Scalar<int32_t>(3))}, types);
    g.Add("dequeue_up_to", "QueueDequeueUpToV2", {queue, g.Const("many", Tensor::Scalar<int32_t>(5))}, types);
    g.Add("close", "QueueCloseV2", {queue}, {{"cancel_pending_enqueues", false}});
    g.Add("cancel", "QueueCloseV2", {queue}, {{"cancel_pending_enqueues", true}});
    g.Add("size", "QueueSizeV2", {queue});
    Result<std::unique_ptr<Session>> session = Session::Create(ranks_.master(), std::move(g.graph));
    EXPECT_TRUE(session.ok()) << session.status().ToString();
    session_ = *std::move(session);
  }

  // Returns false if the queue is closed.
  bool Enqueue(int64_t value) { return session_->Run({{"x", Tensor::Scalar(value)}}, {}, {"enqueue"}).ok(); }
  bool EnqueueMany(std::initializer_list<int64_t> values) {
    return session_->Run({{"x", Tensor::Vector<int64_t>(values)}}, {}, {"enqueue_many"}).ok();
  }
  // Returns nothing if the queue is closed and has too few values.
  std::vector<int64_t> Dequeue(const std::string& how) {
    const Result<std::vector<Tensor>> out = session_->Run({}, {how});
    if (!out.ok()) {
      EXPECT_EQ(out.status().code(), Code::kOutOfRange) << out.status().ToString();
      return {};
    }
    const std::span<const int64_t> values = (*out)[0].values<int64_t>();
    return {values.begin(), values.end()};
  }
  void Close(bool cancel) {
    const Status status = session_->Run({}, {}, {cancel ? "cancel" : "close"}).status();
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
  int32_t Size() { return (*session_->Run({}, {"size"}))[0].scalar<int32_t>(); }

 private:
  RankThreads ranks_;
  std::unique_ptr<Session> session_;
};

void RunThreads(int count, const std::function<void(int)>& body, std::vector<std::thread>& threads) {
  for (int i = 0; i < count; ++i) threads.emplace_back(body, i);
}

// The values that went in (or may have, if a batch was cut short) and those that came out.
struct Account {
  std::mutex mu;
  std::vector<int64_t> in;
  std::vector<int64_t> perhaps_in;
  std::map<int64_t, int> out;
};

void Produce(QueueOfSteps& queue, int producer, int values, Account& account) {
  for (int k = 0; k < values; k += 3) {
    const int64_t first = int64_t{producer} * 1000 + k;
    const bool whole = producer % 2 == 0;
    bool entered = false;
    if (whole) {
      entered = queue.EnqueueMany({first, first + 1, first + 2});
      const std::lock_guard lock(account.mu);
      auto& list = entered ? account.in : account.perhaps_in;
      for (int64_t i = 0; i < 3; ++i) list.push_back(first + i);
    } else {
      for (int64_t i = 0; i < 3; ++i) {
        entered = queue.Enqueue(first + i);
        if (!entered) break;
        const std::lock_guard lock(account.mu);
        account.in.push_back(first + i);
      }
    }
    if (!entered) return;
  }
}

void Consume(QueueOfSteps& queue, int consumer, Account& account) {
  constexpr const char* kWays[] = {"dequeue", "dequeue_many", "dequeue_up_to"};
  for (;;) {
    const std::vector<int64_t> values = queue.Dequeue(kWays[consumer % 3]);
    if (values.empty()) return;
    const std::lock_guard lock(account.mu);
    for (int64_t value : values) ++account.out[value];
  }
}

void CheckAccount(Account& account) {
  size_t accounted = 0;
  for (int64_t value : account.in) {
    EXPECT_EQ(account.out[value], 1) << value;
    ++accounted;
  }
  for (int64_t value : account.perhaps_in) {
    EXPECT_LE(account.out[value], 1) << value;
    ++accounted;
  }
  EXPECT_EQ(account.out.size(), accounted) << "values came out that never went in";
}

void RunRound(const std::string& kind, std::mt19937& random) {
  QueueOfSteps queue(kind, 4 + random() % 20);
  Account account;
  std::vector<std::thread> threads;
  const int values = 3 * static_cast<int>(1 + random() % 10);
  RunThreads(
      kProducers, [&](int i) { Produce(queue, i, values, account); }, threads);
  RunThreads(
      kConsumers, [&](int i) { Consume(queue, i, account); }, threads);
  std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
  queue.Close(/*cancel=*/random() % 2 == 0);
  for (std::thread& thread : threads) thread.join();
  // Batches that were too small stayed.
  while (queue.Size() > 0) {
    for (int64_t value : queue.Dequeue("dequeue")) ++account.out[value];
  }
  CheckAccount(account);
}

class QueueStress : public ::testing::TestWithParam<const char*> {};

TEST_P(QueueStress, StepsOfManyThreadsLoseNothing) {
  std::mt19937 random(17);
  for (int round = 0; round < Rounds(10) && !HasFailure(); ++round) RunRound(GetParam(), random);
}

INSTANTIATE_TEST_SUITE_P(Kinds, QueueStress, ::testing::Values("FIFOQueueV2", "RandomShuffleQueueV2"));

// Producers and consumers as nodes of one step, on four ranks; the queue is on one of them.
constexpr int kRanks = 4;

GraphMaker MakeStep(const std::string& kind, int64_t capacity, int queue_rank) {
  GraphMaker g;
  const Output queue = AddQueue(g, kind, capacity, 0);
  g.node(queue).device = TaskDevice(queue_rank);
  const AttrMap types{{"component_types", std::vector<DType>{DType::kInt64}}};
  for (int i = 0; i < kProducers; ++i) {
    const Output values = g.Placeholder(StrCat("values_", i), PartialShape({-1}), DType::kInt64);
    const Output made = g.Add(StrCat("made_", i), "Identity", {values});
    g.node(made).device = TaskDevice(i % kRanks);
    g.Add(StrCat("put_", i), "QueueEnqueueManyV2", {queue, made});
  }
  for (int i = 0; i < kConsumers; ++i) {
    const Output n = g.Placeholder(StrCat("n_", i), PartialShape::Scalar(), DType::kInt32);
    const Output got = g.Add(StrCat("got_", i), "QueueDequeueManyV2", {queue, n}, types);
    g.node(g.Add(StrCat("here_", i), "Identity", {got})).device = TaskDevice((i + 1) % kRanks);
  }
  const Output forever = g.Const("forever", Tensor::Scalar<int32_t>(1 << 20));
  g.Add("never", "QueueDequeueManyV2", {queue, forever}, types);
  const Output broken = g.Add("broken", "CheckNumerics", {g.Placeholder("nan", PartialShape::Scalar(), DType::kFloat)},
                              {{"message", std::string("planted")}});
  g.node(broken).device = TaskDevice((queue_rank + 1) % kRanks);
  return g;
}

// Splits `total` into kConsumers parts, some of them empty.
std::vector<int32_t> Parts(int32_t total, std::mt19937& random) {
  std::vector<int32_t> cuts = {0, total};
  for (int i = 1; i < kConsumers; ++i) cuts.push_back(static_cast<int32_t>(random() % (total + 1)));
  std::sort(cuts.begin(), cuts.end());
  std::vector<int32_t> parts;
  for (size_t i = 1; i < cuts.size(); ++i) parts.push_back(cuts[i] - cuts[i - 1]);
  return parts;
}

using Feeds = std::vector<std::pair<std::string, Tensor>>;

Feeds FeedsOf(const std::vector<std::vector<int64_t>>& values, const std::vector<int32_t>& wanted) {
  Feeds feeds;
  for (size_t i = 0; i < values.size(); ++i) {
    feeds.emplace_back(StrCat("values_", i), Tensor::Vector<int64_t>(values[i]));
  }
  for (size_t i = 0; i < wanted.size(); ++i) feeds.emplace_back(StrCat("n_", i), Tensor::Scalar(wanted[i]));
  return feeds;
}

struct StepNames {
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  StepNames() {
    for (int i = 0; i < kConsumers; ++i) fetches.push_back(StrCat("here_", i));
    for (int i = 0; i < kProducers; ++i) targets.push_back(StrCat("put_", i));
  }
};

void RunExchange(Session& session, std::mt19937& random) {
  std::vector<std::vector<int64_t>> values(kProducers);
  std::vector<int64_t> expected;
  for (int i = 0; i < kProducers; ++i) {
    for (int k = static_cast<int>(random() % 20); k > 0; --k) values[i].push_back(i * 1000 + k);
    expected.insert(expected.end(), values[i].begin(), values[i].end());
  }
  const StepNames names;
  const Result<std::vector<Tensor>> out =
      session.Run(FeedsOf(values, Parts(static_cast<int32_t>(expected.size()), random)), names.fetches, names.targets);
  ASSERT_TRUE(out.ok()) << out.status().ToString();
  std::vector<int64_t> seen;
  for (const Tensor& batch : *out) {
    seen.insert(seen.end(), batch.values<int64_t>().begin(), batch.values<int64_t>().end());
  }
  std::sort(seen.begin(), seen.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(seen, expected);
}

TEST(QueueStressOnRanks, AStepLosesNothing) {
  std::mt19937 random(5);
  RankThreads ranks(kRanks);
  Result<std::unique_ptr<Session>> session =
      Session::Create(ranks.master(), MakeStep("FIFOQueueV2", 7, /*queue_rank=*/2).graph);
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  for (int round = 0; round < Rounds(50) && !HasFailure(); ++round) RunExchange(**session, random);
}

TEST(QueueStressOnRanks, AFailureEndsAllThatWait) {
  std::mt19937 random(9);
  for (int round = 0; round < Rounds(10) && !HasFailure(); ++round) {
    RankThreads ranks(kRanks);
    Result<std::unique_ptr<Session>> session =
        Session::Create(ranks.master(), MakeStep("RandomShuffleQueueV2", 5, static_cast<int>(random() % kRanks)).graph);
    ASSERT_TRUE(session.ok()) << session.status().ToString();
    std::vector<std::vector<int64_t>> values(kProducers, std::vector<int64_t>(random() % 9, 1));
    Feeds feeds = FeedsOf(values, std::vector<int32_t>(kConsumers, 1000));
    feeds.emplace_back("nan", Tensor::Scalar(std::numeric_limits<float>::quiet_NaN()));
    StepNames names;
    names.targets.insert(names.targets.end(), {"never", "broken"});
    const Status status = (*session)->Run(feeds, names.fetches, names.targets).status();
    EXPECT_NE(status.message().find("planted"), std::string::npos) << status.ToString();
  }
}

}  // namespace
}  // namespace dfrun
