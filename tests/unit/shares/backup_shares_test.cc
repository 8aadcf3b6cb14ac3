// The counter of shares with backup: who is named, what is returned, the last step, the periods.
#include "kernels/shares/backup_shares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <random>

#include "comm/in_process/in_process.h"
#include "src/executor/step/worker_pool.h"
#include "src/graph/graph_ops.h"
#include "src/session/session.h"

namespace dfrun {
namespace {

constexpr int kReplicas = 3;
constexpr int kBackup = 2;
constexpr int kTakers = kReplicas + kBackup;
constexpr int64_t kRows = 10;

// The nodes that take, offer and count shares, each a signature of one session.
class BackupSharesTest : public testing::Test {
 protected:
  void Make(int64_t steps) {
    Result<std::unique_ptr<Runtime>> runtime = Runtime::Create({}, std::move(comm::ConnectInProcess(1)[0]));
    ASSERT_TRUE(runtime.ok()) << runtime.status().ToString();
    runtime_ = *std::move(runtime);
    Graph graph;
    GraphOps ops(graph, "");
    const auto fed = [&](const char* name, DType dtype, const PartialShape& shape) {
      return ops.Add(name, "Placeholder", {}, {{"dtype", dtype}, {"shape", shape}});
    };
    const Output counter = ops.Add("counter", "_BackupShares", {});
    const Output period = fed("steps", DType::kInt64, PartialShape({2}));
    const Output position = fed("position", DType::kInt64, PartialShape::Scalar());
    const Output returned = fed("returned", DType::kInt64, PartialShape({kTakers, 2}));
    const Output token = fed("token", DType::kInt64, PartialShape({ShareToken::kElements}));
    const Output found = fed("found", DType::kInt32, PartialShape::Scalar());
    ops.Add("open", "_OpenBackup", {counter, period, position, returned},
            {{"replicas", int64_t{kReplicas}}, {"backup", int64_t{kBackup}}, {"rows", kRows}, {"steps", steps}});
    for (int r = 0; r < kTakers; ++r) {
      ops.Add(StrCat("take_", r), "_TakeShare", {counter}, {{"replica", int64_t{r}}});
      ops.Add(StrCat("offer_", r), "_OfferShare", {counter, token, found}, {{"replica", int64_t{r}}});
    }
    ops.Add("end", "_EndSharesStep", {counter});
    ops.Add("use", "_BackupUse", {counter});
    ops.Add("named", "_NamedShares", {counter});
    ops.Add("close", "_CloseBackup", {counter}, {{"rows", kRows}, {"most_returned", int64_t{kTakers}}});
    ASSERT_TRUE(ops.status().ok()) << ops.status().ToString();
    Result<std::unique_ptr<Session>> session = Session::Create(*runtime_, std::move(graph));
    ASSERT_TRUE(session.ok()) << session.status().ToString();
    session_ = *std::move(session);
    for (size_t r = 0; r < kTakers; ++r) {
      takes_[r] = *session_->Prepare({}, {StrCat("take_", r)});
      offers_[r] = *session_->Prepare({"token", "found"}, {StrCat("offer_", r)});
    }
  }

  void Open(int64_t first, int64_t end, int64_t position, const std::vector<int64_t>& returned = {}) {
    Tensor shares(DType::kInt64, Shape({kTakers, 2}));
    std::fill_n(shares.data<int64_t>(), shares.num_elements(), 0);
    for (size_t i = 0; i < returned.size(); ++i) {
      shares.data<int64_t>()[2 * i] = returned[i];
      shares.data<int64_t>()[2 * i + 1] = kRows;
    }
    const Result<std::vector<Tensor>> opened = session_->Run({{"steps", Tensor::Vector<int64_t>({first, end})},
                                                              {"position", Tensor::Scalar(position)},
                                                              {"returned", shares}},
                                                             {}, {"open"});
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
  }

  // Asks for a share; it waits where it may not have one yet.
  void Ask(size_t replica) { asked_[replica] = *session_->StartStep(takes_[replica]); }
  bool HasShare(size_t replica) {
    runtime_->pool().RunQueuedAlone();
    return asked_[replica]->ended();
  }
  ShareToken Take(size_t replica) {
    std::array<Tensor, 1> fetched;
    const Status status = asked_[replica]->Wait(fetched);
    EXPECT_TRUE(status.ok()) << status.ToString();
    asked_[replica].reset();
    return *ShareToken::Parse(fetched[0]);
  }
  ShareToken AskAndTake(size_t replica) {
    Ask(replica);
    return Take(replica);
  }
  // Whether the share is named.
  bool Offer(size_t replica, const ShareToken& token, int32_t found = 0) {
    const std::array<Tensor, 2> feeds = {token.ToTensor(), Tensor::Scalar(found)};
    std::array<Tensor, 1> fetched;
    const Status status = session_->RunStep(offers_[replica], feeds, fetched);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return ShareToken::Parse(fetched[0])->is_given();
  }
  Status End() { return session_->Run({}, {}, {"end"}).status(); }
  // The next position, and then the positions of the shares that are returned.
  std::vector<int64_t> Close() {
    const Result<std::vector<Tensor>> closed = session_->Run({}, {"close:0", "close:1"});
    EXPECT_TRUE(closed.ok()) << closed.status().ToString();
    std::vector<int64_t> rest = {(*closed)[0].scalar<int64_t>()};
    const std::span<const int64_t> values = (*closed)[1].values<int64_t>();
    for (size_t i = 0; i < values.size(); i += 2) {
      if (values[i + 1] > 0) rest.push_back(values[i]);
    }
    return rest;
  }

  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<Session> session_;
  std::array<Session::Handle, kTakers> takes_{};
  std::array<Session::Handle, kTakers> offers_{};
  std::array<std::unique_ptr<PendingStep>, kTakers> asked_;
};

TEST_F(BackupSharesTest, TheFirstToOfferAreNamedAndTheRestIsReturned) {
  Make(/*steps=*/100);
  Open(0, 100, 0);
  std::array<ShareToken, kTakers> tokens;
  for (size_t r = 0; r < kTakers; ++r) {
    tokens[r] = AskAndTake(r);
    EXPECT_EQ(tokens[r].position, static_cast<int64_t>(r) * kRows);
    EXPECT_EQ(tokens[r].step, 0);
  }
  for (const size_t r : {4, 1, 3}) EXPECT_TRUE(Offer(r, tokens[r], r == 3 ? 2 : 0));
  EXPECT_FALSE(Offer(0, tokens[0]));
  Ask(0);
  EXPECT_FALSE(HasShare(0));  // the step has its shares, and has not ended
  ASSERT_TRUE(End().ok());
  ASSERT_TRUE(HasShare(0));
  const ShareToken again = Take(0);
  EXPECT_EQ(again.position, 0);  // the first that was returned
  EXPECT_EQ(again.step, 1);
  EXPECT_FALSE(Offer(2, tokens[2]));  // that step has ended
  EXPECT_EQ(AskAndTake(4).position, 2 * kRows);
  EXPECT_EQ(AskAndTake(3).position, 5 * kRows);
  const Result<std::vector<Tensor>> named = session_->Run({}, {"named"});
  ASSERT_TRUE(named.ok());
  const std::span<const int64_t> values = (*named)[0].values<int64_t>();
  EXPECT_EQ(std::vector<int64_t>(values.begin(), values.end()),
            (std::vector<int64_t>{4 * kRows, 4, 0, kRows, 1, 0, 3 * kRows, 3, 2}));
  EXPECT_EQ(Close(), (std::vector<int64_t>{6 * kRows, 0, 2 * kRows, 5 * kRows}));
}

TEST_F(BackupSharesTest, AReplicaTakesASecondShareOnlyWhereTooFewOthersAreThere) {
  Make(/*steps=*/100);
  Open(0, 100, 0);
  const ShareToken first = AskAndTake(0);
  EXPECT_TRUE(Offer(0, first));
  const ShareToken second = AskAndTake(0);  // the others are at work on shares of a step before
  EXPECT_TRUE(second.is_given());
  AskAndTake(1);
  EXPECT_TRUE(Offer(0, second));
  Ask(0);
  EXPECT_FALSE(HasShare(0));  // two are named, and one is at work
  AskAndTake(2);
  EXPECT_FALSE(HasShare(0));
  Close();
  EXPECT_FALSE(Take(0).is_given());
}

TEST_F(BackupSharesTest, TheLastStepHandsOutNoMoreThanItApplies) {
  Make(/*steps=*/2);
  Open(0, 2, 0);
  std::array<ShareToken, kTakers> tokens;
  for (size_t r = 0; r < kTakers; ++r) tokens[r] = AskAndTake(r);
  for (size_t r = 0; r < kReplicas; ++r) EXPECT_TRUE(Offer(r, tokens[r]));
  ASSERT_TRUE(End().ok());
  for (size_t r = 0; r < kTakers; ++r) Ask(r);
  int given = 0;
  for (size_t r = 0; r < kTakers; ++r) {
    if (!HasShare(r)) continue;
    ++given;
    EXPECT_TRUE(Offer(r, Take(r)));
  }
  EXPECT_EQ(given, kReplicas);
  ASSERT_TRUE(End().ok());
  for (size_t r = 0; r < kTakers; ++r) {
    if (asked_[r] == nullptr) continue;
    EXPECT_FALSE(Take(r).is_given());
  }
  EXPECT_EQ(Close(), (std::vector<int64_t>{2 * kReplicas * kRows}));
}

TEST_F(BackupSharesTest, APeriodGoesOnWithWhatWasReturned) {
  Make(/*steps=*/10);
  Open(4, 6, 200, {30, 70});
  EXPECT_EQ(AskAndTake(0).position, 30);
  EXPECT_EQ(AskAndTake(1).position, 70);
  const ShareToken token = AskAndTake(2);
  EXPECT_EQ(token.position, 200);
  EXPECT_EQ(token.step, 4);
  EXPECT_FALSE(End().ok());  // no share is named
  EXPECT_EQ(Close(), (std::vector<int64_t>{210, 30, 70, 200}));
  EXPECT_FALSE(AskAndTake(2).is_given());
  EXPECT_FALSE(Offer(2, token));
}

// Handed out = applied + returned, in whatever order replicas take and offer.
TEST_F(BackupSharesTest, EachShareIsAppliedOnce) {
  constexpr int64_t kSteps = 400;
  Make(kSteps);
  std::mt19937 random(7);
  std::map<int64_t, int> applied;
  std::array<std::optional<ShareToken>, kTakers> held;
  int64_t position = 0;
  std::vector<int64_t> returned;
  int64_t step = 0;
  while (step < kSteps) {
    const int64_t end = std::min<int64_t>(kSteps, step + 1 + static_cast<int64_t>(random() % 40));
    Open(step, end, position, returned);
    std::vector<int64_t> named;
    while (step < end) {
      const size_t r = random() % kTakers;
      if (held[r]) {
        if (Offer(r, *held[r])) named.push_back(held[r]->position);
        held[r].reset();
      } else if (asked_[r] == nullptr) {
        Ask(r);
      } else if (HasShare(r)) {
        const ShareToken token = Take(r);
        if (token.is_given()) held[r] = token;
      }
      if (static_cast<int>(named.size()) < kReplicas) continue;
      for (const int64_t share : named) ++applied[share];
      named.clear();
      ASSERT_TRUE(End().ok());
      ++step;
    }
    const std::vector<int64_t> rest = Close();
    position = rest[0];
    returned.assign(rest.begin() + 1, rest.end());
    EXPECT_LE(returned.size(), size_t{kBackup});
    for (size_t r = 0; r < kTakers; ++r) {
      if (asked_[r] == nullptr) continue;
      const ShareToken token = Take(r);
      if (token.is_given()) held[r] = token;
    }
  }
  EXPECT_EQ(position, kSteps * kReplicas * kRows);
  EXPECT_TRUE(returned.empty());
  ASSERT_EQ(static_cast<int64_t>(applied.size()), kSteps * kReplicas);
  for (const auto& [share, times] : applied) EXPECT_EQ(times, 1) << share;
}

}  // namespace
}  // namespace dfrun
