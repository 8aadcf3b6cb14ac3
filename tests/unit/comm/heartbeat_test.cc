#include "comm/heartbeat/heartbeat.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

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

// Keeps the calling thread in this state.
void Hold(char state, double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  const auto is_over = [&] { return std::chrono::steady_clock::now() > end; };
  if (state == 'R') {
    while (!is_over()) {
    }
  } else if (state == 'S') {
    std::this_thread::sleep_until(end);
  } else if (const long child = ::syscall(SYS_clone, CLONE_VFORK | SIGCHLD, nullptr, nullptr, nullptr, 0); child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (!is_over()) ::usleep(10'000);
    ::_exit(0);
  } else {  // D until here
    ::waitpid(static_cast<pid_t>(child), nullptr, 0);
  }
}

// A rank that watches until it is told to leave.
int Watch(Bootstrap& bootstrap, SharedBoard& board, const std::string& heartbeat, double wait_most_s) {
  SharedBoard::Rank& own = board.ranks[bootstrap.rank()];
  HeartbeatOptions options;
  options.times = *ParseHeartbeat(heartbeat);
  options.times.wait_most = std::chrono::milliseconds(static_cast<int>(1000 * wait_most_s));
  options.on_wait = [&](const std::string& text) {
    std::strncpy(own.word, text.c_str(), sizeof own.word - 1);
    ++own.words;
  };
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
                          if (const char state = own.holds.exchange(0); state != 0) Hold(state, board.hold_s);
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

constexpr int kNotPermitted = 77;

// Watches as a process of a PID namespace of its own.
int WatchFromOwnNamespace(Bootstrap& bootstrap, SharedBoard& board, const std::string& heartbeat, double wait_most_s) {
  if (::unshare(CLONE_NEWPID) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) {
    board.ranks[bootstrap.rank()].lost = kNotPermitted;
    return kNotPermitted;
  }
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::_Exit(Watch(bootstrap, board, heartbeat, wait_most_s));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

class HeartbeatTest : public ::testing::Test {
 protected:
  void Start(const std::string& heartbeat, double wait_most_s = 60, bool rank_zero_is_apart = false) {
    ranks_ = std::make_unique<ForkedRanks>(kRanks, [=](Bootstrap& bootstrap, SharedBoard& board) {
      const bool is_apart = rank_zero_is_apart && bootstrap.rank() == 0;
      return (is_apart ? WatchFromOwnNamespace : Watch)(bootstrap, board, heartbeat, wait_most_s);
    });
    ASSERT_TRUE(Until(30, [&] {
      if (LostAt(0) == kNotPermitted) return true;
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
  void Hold(int rank, char state, double seconds) {
    ranks_->board().hold_s = seconds;
    ranks_->board().ranks[rank].holds = state;
  }
  // Returns the reports of all ranks that ranks are waited for.
  std::vector<std::string> Words() {
    std::vector<std::string> words;
    for (const SharedBoard::Rank& rank : ranks_->board().ranks) {
      for (int word = 0; word < rank.words; ++word) words.emplace_back(rank.word);
    }
    return words;
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

// Heavier work of the host may hold a rank in this way; rank 0 is treated like any other.
TEST_F(HeartbeatTest, ASilentRankThatIsAtWorkIsWaitedForWithOneWord) {
  for (const auto& [rank, state] : {std::pair(0, 'R'), std::pair(3, 'D')}) {
    Start("0.2,1");
    Hold(rank, state, 2 * kDeadAfter);
    std::this_thread::sleep_for(std::chrono::milliseconds(2600));
    ExpectNoneLost();
    const std::vector<std::string> words = Words();
    ASSERT_EQ(words.size(), 1U);
    EXPECT_EQ(words[0].find(StrCat("rank ", rank, " (host here) is silent, and is waited for, at most 60 s")), 0U)
        << words[0];
    EXPECT_NE(words[0].find(StrCat("(state ", std::string(1, state), ")")), std::string::npos) << words[0];
  }
}

// The second beat is due a second after the first, which all have seen by then.
TEST_F(HeartbeatTest, ARankThatIsSilentAfterItsFirstBeatIsWaitedForToo) {
  Start("1,2");
  Hold(3, 'R', 4);
  std::this_thread::sleep_for(std::chrono::milliseconds(4600));
  ExpectNoneLost();
  const std::vector<std::string> words = Words();
  ASSERT_EQ(words.size(), 1U);
  EXPECT_NE(words[0].find("(state R)"), std::string::npos) << words[0];
}

TEST_F(HeartbeatTest, ASilentRankWhoseThreadSleepsIsLostInItsTime) {
  Start("0.2,1");
  Hold(3, 'S', 30);
  const auto begin = std::chrono::steady_clock::now();
  ExpectLost(3, "no heartbeat for");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(6));
  EXPECT_NE(LossAt(0).find("sleeps (state S)"), std::string::npos) << LossAt(0);
  EXPECT_TRUE(Words().empty());
}

TEST_F(HeartbeatTest, ARankIsNotWaitedForLongerThanSaid) {
  Start("0.2,1", 2);
  Hold(0, 'R', 30);
  const auto begin = std::chrono::steady_clock::now();
  ExpectLost(0, "no heartbeat for");
  EXPECT_GT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(2500));
  EXPECT_NE(LossAt(1).find("(state R), and was waited for "), std::string::npos) << LossAt(1);
}

TEST_F(HeartbeatTest, ARankThatIsWaitedForAndIsThenStoppedIsLostInItsTime) {
  Start("0.2,1");
  Hold(2, 'R', 30);
  ASSERT_TRUE(Until(kHeard, [&] { return !Words().empty(); }));
  ranks_->Signal(2, SIGSTOP);
  const auto begin = std::chrono::steady_clock::now();
  ExpectLost(2, "no heartbeat for");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(6));
  EXPECT_NE(LossAt(0).find("is stopped (state T)"), std::string::npos) << LossAt(0);
}

// Rank 0 cannot see the others in /proc, and other ranks tell it.
TEST_F(HeartbeatTest, WhoCannotLookByItselfIsToldByOthersOfTheHost) {
  Start("0.2,1", 60, true);
  if (LostAt(0) == kNotPermitted) GTEST_SKIP() << "no PID namespace may be made here";
  Hold(1, 'R', 2 * kDeadAfter);
  std::this_thread::sleep_for(std::chrono::milliseconds(2600));
  ExpectNoneLost();
  const std::vector<std::string> words = Words();
  ASSERT_EQ(words.size(), 1U);
  EXPECT_NE(words[0].find("(state R)"), std::string::npos) << words[0];
  EXPECT_EQ(ranks_->board().ranks[0].words, 1);
}

// No rank can see rank 0, which is judged by its silence alone.
TEST_F(HeartbeatTest, ARankThatNobodyCanLookAtIsLostInItsTime) {
  Start("0.2,1", 60, true);
  if (LostAt(0) == kNotPermitted) GTEST_SKIP() << "no PID namespace may be made here";
  Hold(0, 'R', 6);
  ExpectLost(0, "no heartbeat for");
  EXPECT_EQ(LossAt(1).find("state"), std::string::npos) << LossAt(1);
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
  HeartbeatOptions options;
  options.times = *ParseHeartbeat("1");
  auto watch = Heartbeat::Start(bootstrap, {"here"}, options);
  ASSERT_TRUE(watch.ok()) << watch.status().ToString();
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
