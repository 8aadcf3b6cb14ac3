// The counter of shares: their order, the bound of staleness, the periods, and shares that are not finite.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <random>
#include <thread>

#include "comm/in_process/in_process.h"
#include "kernels/shares/share_token.h"
#include "src/executor/step/worker_pool.h"
#include "src/graph/graph_ops.h"
#include "src/session/session.h"

namespace dfrun {
namespace {

constexpr int kReplicas = 3;
constexpr int64_t kRows = 10;
constexpr int64_t kLastStep = 3;

// The nodes that take, end and count shares, each a signature of one session.
class ShareTokensTest : public testing::Test {
 protected:
  void Make(int64_t max_staleness, int64_t most_skipped = 0, int64_t log_every = 1) {
    Result<std::unique_ptr<Runtime>> runtime = Runtime::Create({}, std::move(comm::ConnectInProcess(1)[0]));
    ASSERT_TRUE(runtime.ok()) << runtime.status().ToString();
    runtime_ = *std::move(runtime);
    Graph graph;
    GraphOps ops(graph, "");
    const auto fed = [&](const char* name, DType dtype, const PartialShape& shape) {
      return ops.Add(name, "Placeholder", {}, {{"dtype", dtype}, {"shape", shape}});
    };
    const Output counter = ops.Add("counter", "_ShareTokens", {});
    const Output steps = fed("steps", DType::kInt64, PartialShape({3}));
    const Output position = fed("position", DType::kInt64, PartialShape::Scalar());
    const Output token = fed("token", DType::kInt64, PartialShape({ShareToken::kElements}));
    const Output report = fed("report", DType::kDouble, PartialShape({2}));
    ops.Add("open", "_OpenShares", {counter, steps, position},
            {{"replicas", int64_t{kReplicas}},
             {"takers", int64_t{kReplicas}},
             {"max_staleness", max_staleness},
             {"rows", kRows},
             {"values", int64_t{1}},
             {"most_skipped", most_skipped},
             {"log_every", log_every},
             {"last_step", kLastStep}});
    for (int r = 0; r < kReplicas; ++r) {
      ops.Add(StrCat("take_", r), "_TakeShare", {counter}, {{"replica", int64_t{r}}});
      ops.Add(StrCat("end_", r), "_EndShare", {counter, token, report}, {{"replica", int64_t{r}}});
    }
    ops.Add("lines", "_ShareLines", {counter});
    ops.Add("close", "_CloseShares", {counter});
    ASSERT_TRUE(ops.status().ok()) << ops.status().ToString();
    Result<std::unique_ptr<Session>> session = Session::Create(*runtime_, std::move(graph));
    ASSERT_TRUE(session.ok()) << session.status().ToString();
    session_ = *std::move(session);
    for (int r = 0; r < kReplicas; ++r) {
      takes_[r] = *session_->Prepare({}, {StrCat("take_", r)});
      ends_[r] = *session_->Prepare({"token", "report"}, {}, {StrCat("end_", r)});
    }
  }

  void Open(int64_t first_step, int64_t end_step, int64_t position, int64_t row = 0) {
    ASSERT_TRUE(session_
                    ->Run({{"steps", Tensor::Vector<int64_t>({first_step, end_step, row})},
                           {"position", Tensor::Scalar<int64_t>(position)}},
                          {}, {"open"})
                    .ok());
  }

  // Asks for a share; it waits where it may not have one yet.
  void Ask(int replica) { asked_[replica] = *session_->StartStep(takes_[replica]); }
  bool HasShare(int replica) const { return asked_[replica]->ended(); }
  ShareToken Take(int replica) {
    std::array<Tensor, 1> fetched;
    const Status status = asked_[replica]->Wait(fetched);
    EXPECT_TRUE(status.ok()) << status.ToString();
    asked_[replica].reset();
    return *ShareToken::Parse(fetched[0]);
  }
  ShareToken AskAndTake(int replica) {
    Ask(replica);
    return Take(replica);
  }
  void End(int replica, const ShareToken& token, double found = 0, double value = 1) {
    const std::array<Tensor, 2> feeds = {token.ToTensor(), Tensor::Vector<double>({found, value})};
    const Status status = session_->RunStep(ends_[replica], feeds, {});
    ASSERT_TRUE(status.ok()) << status.ToString();
    runtime_->pool().RunQueuedAlone();  // the calls that waited for it go on
  }
  // The steps that are done, the number found, the share, its position, its replica; and the next position.
  std::vector<int64_t> Close() {
    const Result<std::vector<Tensor>> closed = session_->Run({}, {"close:0", "close:1"});
    EXPECT_TRUE(closed.ok()) << closed.status().ToString();
    const int64_t* const end = (*closed)[0].data<int64_t>();
    return {end[0], end[1], end[2], end[3], end[4], (*closed)[1].scalar<int64_t>()};
  }

  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<Session> session_;
  std::array<Session::Handle, kReplicas> takes_{};
  std::array<Session::Handle, kReplicas> ends_{};
  std::array<std::unique_ptr<PendingStep>, kReplicas> asked_;
};

TEST_F(ShareTokensTest, SharesGoToWhoeverAsksInTheirOrder) {
  Make(/*max_staleness=*/-1);
  Open(4, 6, 100);
  for (int64_t share = 12; share < 18; ++share) {
    const ShareToken token = AskAndTake(2);
    EXPECT_TRUE(token.is_given());
    EXPECT_EQ(token.share, share);
    EXPECT_EQ(token.step, share / kReplicas);
    EXPECT_EQ(token.position, 100 + (share - 12) * kRows);
    End(2, token);
  }
  EXPECT_FALSE(AskAndTake(0).is_given());  // none beyond the period
  EXPECT_EQ(Close(), (std::vector<int64_t>{6, 0, 0, 0, 0, 160}));
}

TEST_F(ShareTokensTest, WhoIsTooFarAheadWaitsForTheSlowest) {
  Make(/*max_staleness=*/1);
  Open(0, 10, 0);
  const ShareToken slow = AskAndTake(0);
  for (int64_t share = 1; share < 2 * kReplicas; ++share) {
    const ShareToken token = AskAndTake(1);
    EXPECT_EQ(token.share, share);
    End(1, token);
  }
  Ask(1);
  EXPECT_FALSE(HasShare(1)) << "step 2 begins before step 0 is done";
  End(0, slow);
  EXPECT_TRUE(HasShare(1));
  EXPECT_EQ(Take(1).step, 2);
}

TEST_F(ShareTokensTest, InTurnEachReplicaHasItsOwnShareOfEachStep) {
  Make(/*max_staleness=*/0);
  Open(0, 2, 0);
  const ShareToken last = AskAndTake(2);
  EXPECT_EQ(last.share, 2);
  Ask(2);
  EXPECT_FALSE(HasShare(2));
  const ShareToken first = AskAndTake(0);
  const ShareToken second = AskAndTake(1);
  EXPECT_EQ(first.share, 0);
  EXPECT_EQ(second.share, 1);
  End(2, last);
  End(0, first);
  EXPECT_FALSE(HasShare(2));
  End(1, second);
  EXPECT_TRUE(HasShare(2));
  EXPECT_EQ(Take(2).share, 5);
}

// A job that goes on counts the shares that were not finite before.
TEST_F(ShareTokensTest, ARowGoesOverPeriods) {
  Make(/*max_staleness=*/-1, /*most_skipped=*/3);
  Open(0, 10, 0, /*row=*/1);
  End(0, AskAndTake(0), /*found=*/2);
  const Result<std::vector<Tensor>> closed = session_->Run({}, {"close:0"});
  ASSERT_TRUE(closed.ok());
  EXPECT_EQ((*closed)[0].data<int64_t>()[5], 2);
  Open(1, 10, 30, /*row=*/2);
  End(1, AskAndTake(1), /*found=*/2);
  EXPECT_FALSE(AskAndTake(1).is_given());
  EXPECT_EQ(Close()[1], 2);
}

TEST_F(ShareTokensTest, LinesComeInTheOrderOfTheSteps) {
  Make(/*max_staleness=*/-1);
  Open(0, 2, 0);
  std::vector<ShareToken> tokens;
  for (int i = 0; i < 2 * kReplicas; ++i) tokens.push_back(AskAndTake(0));
  const auto lines = [&] { return (*session_->Run({}, {"lines:0"}))[0]; };
  for (size_t i = tokens.size(); i > 1; --i) End(0, tokens[i - 1], 0, static_cast<double>(10 * i));
  EXPECT_EQ(lines().shape()[0], 0) << "the first step lacks a share";
  End(0, tokens[0], 0, 10);
  const Tensor told = lines();
  ASSERT_EQ(told.shape()[0], 2);
  const int64_t columns = told.shape()[1];
  for (int64_t step = 0; step < 2; ++step) {
    const double* const line = told.data<double>() + step * columns;
    EXPECT_EQ(line[0], static_cast<double>(step + 1));
    for (int64_t r = 0; r < kReplicas; ++r)
      EXPECT_EQ(line[columns - kReplicas + r], static_cast<double>(10 * (step * kReplicas + r + 1)));
  }
  EXPECT_EQ(lines().shape()[0], 0) << "a line is told once";
}

// The next line has what shares have reported before the end of a period; a period has no line of its own.
TEST_F(ShareTokensTest, ALineGoesOverPeriods) {
  constexpr int64_t kLogEvery = 2;
  Make(/*max_staleness=*/-1, /*most_skipped=*/0, kLogEvery);
  std::vector<double> steps;
  std::vector<double> not_finite;
  for (int64_t step = 0; step < kLastStep; ++step) {
    Open(step, step + 1, 0);
    for (int r = 0; r < kReplicas; ++r) End(r, AskAndTake(r), step == 0 && r == 1 ? 5 : 0);
    Close();
    const Tensor told = (*session_->Run({}, {"lines:0"}))[0];
    for (int64_t i = 0; i < told.shape()[0]; ++i) {
      const double* const line = told.data<double>() + i * told.shape()[1];
      steps.push_back(line[0]);
      not_finite.push_back(line[4]);  // the first number found since the last line
    }
  }
  EXPECT_EQ(steps, (std::vector<double>{2, 3})) << "those of log_every, and the job's last";
  EXPECT_EQ(not_finite, (std::vector<double>{5, 0}));
}

TEST_F(ShareTokensTest, AShareThatIsNotFiniteEndsThePeriod) {
  Make(/*max_staleness=*/1, /*most_skipped=*/2);
  Open(0, 10, 50);
  for (int share = 0; share < kReplicas; ++share) End(0, AskAndTake(0));
  const ShareToken held = AskAndTake(2);
  const ShareToken bad = AskAndTake(1);
  End(0, AskAndTake(0));
  End(0, AskAndTake(0), 3);
  End(0, AskAndTake(0));  // the row begins anew
  End(0, AskAndTake(0), 4);
  Ask(0);
  EXPECT_FALSE(HasShare(0)) << "step 3 begins before step 1 is done";
  End(1, bad, 7);
  EXPECT_TRUE(HasShare(0)) << "who waits is told that there is no share";
  EXPECT_FALSE(Take(0).is_given());
  EXPECT_FALSE(AskAndTake(1).is_given());
  End(2, held);
  EXPECT_EQ(Close(), (std::vector<int64_t>{3, 7, 4, 90, 1, 140}));
}

// Replicas ask and end in a random order; the bound holds for each of 100,000 shares.
TEST_F(ShareTokensTest, TheBoundHolds) {
  constexpr int64_t kBound = 2;
  constexpr int64_t kShares = 100'000;
  Make(kBound);
  Open(0, kShares, 0);
  std::mt19937 random(1);
  std::map<int, ShareToken> held;
  std::array<bool, kReplicas> waits{};
  std::vector<int64_t> ended(kShares, 0);  // by step
  int64_t done = 0;                        // all steps before have ended
  for (int64_t taken = 0; taken < kShares;) {
    const int r = static_cast<int>(random() % kReplicas);
    if (held.contains(r)) {
      if (random() % (r + 1) != 0) continue;  // some are slower
      ++ended[held.at(r).step];
      while (ended[done] == kReplicas) ++done;
      End(r, held.at(r));
      held.erase(r);
    } else if (!waits[r]) {
      Ask(r);
      waits[r] = true;
    }
    for (int other = 0; other < kReplicas; ++other) {
      if (!waits[other] || !HasShare(other)) continue;
      const ShareToken token = Take(other);
      ASSERT_EQ(token.share, taken++) << "out of order";
      ASSERT_GE(done, token.step - kBound) << "share " << token.share;
      held[other] = token;
      waits[other] = false;
    }
  }
}

// Replicas on threads of their own work for times at random, and one is slow: the bound holds for each of 100,000
// shares, and none is handed out twice.
TEST_F(ShareTokensTest, TheBoundHoldsForThreads) {
  constexpr int64_t kBound = 1;
  constexpr int64_t kSteps = 33'334;
  Make(kBound);
  Open(0, kSteps, 0);
  std::vector<std::atomic<int64_t>> ended(kSteps);  // by step; counted before the end, so that there are no fewer
  std::vector<std::atomic<int64_t>> given(kSteps * kReplicas);
  std::atomic<int64_t> beyond{0};
  std::atomic<int64_t> at_bound{0};
  const auto replica = [&](int r) {
    std::mt19937 random(static_cast<unsigned>(r));
    for (;;) {
      const ShareToken token = AskAndTake(r);
      if (!token.is_given()) return;
      ++given[static_cast<size_t>(token.share)];
      // Shares are handed out in their order, so that earlier steps were looked at before.
      const auto all_ended = [&](int64_t step) { return step < 0 || ended[static_cast<size_t>(step)] == kReplicas; };
      if (!all_ended(token.step - 1 - kBound)) ++beyond;
      if (!all_ended(token.step - kBound)) ++at_bound;
      const unsigned most = r == 0 ? 4000 : 400;
      for (unsigned work = random() % most; work > 0; --work) std::atomic_signal_fence(std::memory_order_seq_cst);
      ++ended[static_cast<size_t>(token.step)];
      End(r, token);
    }
  };
  std::vector<std::thread> threads;
  for (int r = 0; r < kReplicas; ++r) threads.emplace_back(replica, r);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(beyond, 0);
  EXPECT_GT(at_bound, 0) << "no replica was ever ahead";
  for (const std::atomic<int64_t>& times : given) ASSERT_EQ(times, 1);
  EXPECT_EQ(Close(), (std::vector<int64_t>{kSteps, 0, 0, 0, 0, kSteps * kReplicas * kRows}));
}

}  // namespace
}  // namespace dfrun
