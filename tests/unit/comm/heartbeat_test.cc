#include "comm/heartbeat/heartbeat.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "comm/heartbeat/watch_link.h"
#include "tests/unit/comm/forked_ranks.h"

namespace dfrun::comm {
namespace {

constexpr int kRanks = 5;
constexpr int kDead = 76;
// Seconds until a rank is dead, and until all must have heard of it.
constexpr double kDeadAfter = 1;
constexpr double kHeard = 10;

// A rank that watches until it is told to leave.
int Watch(Bootstrap& bootstrap, SharedBoard& board, const std::string& heartbeat) {
  SharedBoard::Rank& own = board.ranks[bootstrap.rank()];
  HeartbeatOptions options;
  options.times = *ParseHeartbeat(heartbeat);
  options.on_lost = [&](const Status& loss, int rank) {
    std::strncpy(own.loss, loss.message().c_str(), sizeof own.loss - 1);
    own.lost = rank;
    if (rank == bootstrap.rank()) std::_Exit(ExitCode(loss.code()));
  };
  const std::vector<std::string> hosts(static_cast<size_t>(bootstrap.size()), "here");
  auto watch = Heartbeat::Start(bootstrap, hosts, options);
  if (!watch.ok()) return 1;
  (*watch)->Attach({.on_lost = [](const Status&) {},
                    .on_tick =
                        [&] {
                          if (bootstrap.rank() == 0 && board.ask.exchange(false)) (*watch)->Ask(1);
                        },
                    .on_question = [&] { return StrCat("answer of ", bootstrap.rank()); },
                    .on_answer =
                        [&](int64_t question, int rank, const std::string& answer) {
                          if (question == 1 && answer == StrCat("answer of ", rank)) ++own.answers;
                        },
                    .on_request = [] {}});
  // Connections are up by then.
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  own.is_up = true;
  Until(60, [&] { return board.leave.load(); });
  (*watch)->Detach();
  return 0;
}

class HeartbeatTest : public ::testing::Test {
 protected:
  void Start(const std::string& heartbeat) {
    ranks_ = std::make_unique<ForkedRanks>(
        kRanks, [heartbeat](Bootstrap& bootstrap, SharedBoard& board) { return Watch(bootstrap, board, heartbeat); });
    ASSERT_TRUE(Until(30, [&] {
      for (int rank = 0; rank < kRanks; ++rank) {
        if (!ranks_->board().ranks[rank].is_up) return false;
      }
      return true;
    }));
  }
  int LostAt(int rank) { return ranks_->board().ranks[rank].lost; }
  std::string LossAt(int rank) { return ranks_->board().ranks[rank].loss; }
  // Expects that all other ranks hear of the loss.
  void ExpectLost(int lost, const std::string& what) {
    for (int rank = 0; rank < kRanks; ++rank) {
      if (rank == lost) continue;
      EXPECT_TRUE(Until(kHeard, [&] { return LostAt(rank) == lost; })) << "rank " << rank;
      EXPECT_NE(LossAt(rank).find(StrCat("rank ", lost, " (host here) was lost: ", what)), std::string::npos)
          << LossAt(rank);
    }
  }
  void ExpectNoneLost() {
    for (int rank = 0; rank < kRanks; ++rank) EXPECT_EQ(LostAt(rank), -1) << LossAt(rank);
  }

  std::unique_ptr<ForkedRanks> ranks_;
};

TEST_F(HeartbeatTest, AKilledRankIsNamedToAllOthers) {
  Start("0.2,1");
  ranks_->Signal(2, SIGKILL);
  ExpectLost(2, "its process has ended");
}

TEST_F(HeartbeatTest, RankZeroIsWatchedToo) {
  Start("0.2,1");
  ranks_->Signal(0, SIGSTOP);
  ExpectLost(0, "no heartbeat for");
}

TEST_F(HeartbeatTest, AStoppedRankThatWakesLearnsThatItIsDeadAndEndsItself) {
  Start("0.2,1");
  const auto begin = std::chrono::steady_clock::now();
  ranks_->Signal(3, SIGSTOP);
  ExpectLost(3, "no heartbeat for");
  EXPECT_GT(std::chrono::steady_clock::now() - begin, std::chrono::duration<double>(kDeadAfter / 2));
  EXPECT_EQ(LostAt(3), -1);
  ranks_->Signal(3, SIGCONT);
  EXPECT_EQ(ranks_->WaitFor(3, kHeard), kDead);
  EXPECT_NE(LossAt(3).find("rank 3 (host here) was declared dead: no heartbeat for"), std::string::npos) << LossAt(3);
}

TEST_F(HeartbeatTest, RanksThatAreAllStoppedAreNotLost) {
  Start("0.2,1");
  for (int rank = 0; rank < kRanks; ++rank) ranks_->Signal(rank, SIGSTOP);
  std::this_thread::sleep_for(std::chrono::seconds(3));
  for (int rank = 0; rank < kRanks; ++rank) {
    ranks_->Signal(rank, SIGCONT);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // not all wake at once
  }
  std::this_thread::sleep_for(std::chrono::seconds(3));
  ExpectNoneLost();
}

TEST_F(HeartbeatTest, ARankThatLeavesInOrderIsNotLost) {
  Start("0.2,1");
  ranks_->board().leave = true;
  for (int rank = 0; rank < kRanks; ++rank) EXPECT_EQ(ranks_->WaitFor(rank, kHeard), 0);
  ExpectNoneLost();
}

TEST_F(HeartbeatTest, WhereSilenceIsNotMindedADeathStillIs) {
  Start("off");
  ranks_->Signal(1, SIGSTOP);
  std::this_thread::sleep_for(std::chrono::seconds(7));
  ExpectNoneLost();
  ranks_->Signal(1, SIGKILL);
  ExpectLost(1, "its process has ended");
}

TEST_F(HeartbeatTest, AQuestionGoesAroundWhoIsSilent) {
  Start("off");
  ranks_->Signal(2, SIGSTOP);  // the parent of rank 3
  ranks_->board().ask = true;
  EXPECT_TRUE(Until(kHeard, [&] { return ranks_->board().ranks[0].answers == kRanks - 1; }))
      << ranks_->board().ranks[0].answers << " answers";
}

TEST(WatchLinkTest, RanksHaveAFewConnectionsEachHoweverManyThereAre) {
  const WatchTimes times{};
  for (const int size : {1, 2, 3, 8, 64, 1000}) {
    int links = 0;
    for (int rank = 0; rank < size; ++rank) {
      for (const WatchLink& link : LinksOf(rank, size, times)) {
        links += link.connects ? 1 : 0;
        // The other end knows of it, and waits for it.
        const std::vector<WatchLink> others = LinksOf(link.peer, size, times);
        EXPECT_EQ(std::count_if(others.begin(), others.end(),
                                [&](const WatchLink& o) { return o.peer == rank && o.connects != link.connects; }),
                  1);
      }
    }
    EXPECT_LE(links, 2 * size);
    EXPECT_GE(links, size - 1);
  }
}

// A process that is alone must not wait for a beat before it does its work.
TEST(AloneHeartbeatTest, NothingIsAwaitedWhereNobodyIsWatched) {
  class Alone final : public Bootstrap {
   public:
    std::string_view name() const override { return "alone"; }
    int rank() const override { return 0; }
    int size() const override { return 1; }
    Result<std::vector<std::string>> AllGather(std::string_view bytes) override {
      return std::vector<std::string>{std::string(bytes)};
    }
    Status Barrier() override { return Status(); }
    [[noreturn]] void Abort(int exit_code) override { std::_Exit(exit_code); }
  };
  Alone bootstrap;
  auto watch = Heartbeat::Start(bootstrap, {"here"}, {.times = *ParseHeartbeat("1")});
  ASSERT_TRUE(watch.ok()) << watch.status();
  EXPECT_TRUE((*watch)->AwaitFirst(std::chrono::seconds(0)));
}

TEST(HeartbeatOptionsTest, TimesAreReadAndMistakesAreExplained) {
  const auto times = ParseHeartbeat("0.5,3");
  ASSERT_TRUE(times.ok());
  EXPECT_EQ(times->every, std::chrono::milliseconds(500));
  EXPECT_EQ(times->dead_after, std::chrono::seconds(3));
  EXPECT_EQ(ParseHeartbeat("2")->dead_after, std::chrono::seconds(10));
  EXPECT_FALSE(ParseHeartbeat("off")->minds_silence);
  for (const char* wrong : {"", "x", "1,", "1,x", "0,1", "-1", "1,1", "5,1", "1,2,3", "nan", "inf"}) {
    EXPECT_EQ(ParseHeartbeat(wrong).status().code(), Code::kUsage) << wrong;
  }
}

}  // namespace
}  // namespace dfrun::comm
