#include "comm/heartbeat/peer_watch.h"

#include <gtest/gtest.h>

namespace dfrun::comm {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Verdict = PeerWatch::Verdict;

constexpr WatchTimes kTimes{seconds(1), seconds(5), true};
constexpr SteadyClock::duration kOnTime{};

class PeerWatchTest : public ::testing::Test {
 protected:
  static SteadyClock::time_point At(double s) {
    return SteadyClock::time_point() + seconds(1000) +
           std::chrono::duration_cast<SteadyClock::duration>(std::chrono::duration<double>(s));
  }
  PeerWatch watch_{kTimes};
};

TEST_F(PeerWatchTest, NobodyIsSuspectedBeforeItWasHeard) {
  EXPECT_EQ(watch_.Look(At(1000), kOnTime), Verdict::kNone);
}

TEST_F(PeerWatchTest, ASilentPeerIsSuspectedAndThenDeadWhenItsTimeIsOver) {
  watch_.Heard(At(0));
  EXPECT_EQ(watch_.Look(At(3.9), kOnTime), Verdict::kNone);
  EXPECT_EQ(watch_.Look(At(4), kOnTime), Verdict::kSuspect);
  EXPECT_EQ(watch_.Look(At(4.9), kOnTime), Verdict::kNone);
  EXPECT_EQ(watch_.Look(At(5), kOnTime), Verdict::kDead);
  EXPECT_NE(watch_.Describe(At(5)).find("no heartbeat for 5 s, last heard at "), std::string::npos);
}

TEST_F(PeerWatchTest, AnAnswerByAnotherWayRefutes) {
  watch_.Heard(At(0));
  EXPECT_EQ(watch_.Look(At(4), kOnTime), Verdict::kSuspect);
  watch_.Refuted(At(4.5));
  EXPECT_EQ(watch_.Look(At(8.4), kOnTime), Verdict::kNone);
  EXPECT_EQ(watch_.Look(At(8.5), kOnTime), Verdict::kSuspect);
}

TEST_F(PeerWatchTest, AHeartbeatDuringTheSuspicionEndsIt) {
  watch_.Heard(At(0));
  EXPECT_EQ(watch_.Look(At(4), kOnTime), Verdict::kSuspect);
  watch_.Heard(At(4.5));
  EXPECT_EQ(watch_.Look(At(8), kOnTime), Verdict::kNone);
}

TEST_F(PeerWatchTest, AThreadThatIsWokenLateGivesThatMuchMore) {
  watch_.Heard(At(0));
  watch_.WokenLate(seconds(30));
  EXPECT_EQ(watch_.Look(At(33.9), kOnTime), Verdict::kNone);
  EXPECT_EQ(watch_.Look(At(34), kOnTime), Verdict::kSuspect);
}

TEST_F(PeerWatchTest, WhoRunsLateLatelyAndAPeerThatDoesGetThatMuchMore) {
  watch_.Heard(At(0));
  watch_.RunsLate(seconds(2));
  EXPECT_EQ(watch_.Look(At(4), seconds(3)), Verdict::kSuspect);
  EXPECT_EQ(watch_.Look(At(9.9), seconds(3)), Verdict::kNone);
  EXPECT_EQ(watch_.Look(At(10), seconds(3)), Verdict::kDead);
}

// Each case has a state that /proc shows, and the time at which the peer is dead. The peer was heard at 0, and /proc is
// read whenever it is suspected.
TEST_F(PeerWatchTest, WhatProcShowsDecidesHowLongASilentPeerIsWaitedFor) {
  constexpr double kSilence = 5;
  constexpr double kWaited = 4 + 60;
  struct Case {
    char state;
    double late_s;
    double dead_at;
  };
  for (const Case& c : {Case{'R', 0, kWaited}, Case{'D', 0, kWaited}, Case{'R', 3, kWaited + 3}, Case{'S', 0, kSilence},
                        Case{'S', 3, kSilence + 3}, Case{'T', 0, kSilence}, Case{'T', 3, kSilence},
                        Case{'t', 3, kSilence}, Case{'Z', 0, kSilence}, Case{'Z', 3, kSilence + 3}}) {
    PeerWatch watch(kTimes);
    const auto late = std::chrono::duration_cast<SteadyClock::duration>(std::chrono::duration<double>(c.late_s));
    watch.Heard(At(0));
    double dead_at = -1;
    for (int tick = 0; tick < 800 && dead_at < 0; ++tick) {
      const double s = 0.125 * tick;
      const Verdict verdict = watch.Look(At(s), late);
      if (verdict == Verdict::kNone) continue;
      watch.Seen(c.state, At(s));
      if (verdict == Verdict::kDead && !watch.is_waited_for()) dead_at = s;
    }
    EXPECT_EQ(dead_at, c.dead_at) << c.state << ", late by " << c.late_s;
  }
}

TEST_F(PeerWatchTest, APeerThatIsWaitedForAndIsThenStoppedIsDeadInItsTime) {
  watch_.Heard(At(0));
  EXPECT_EQ(watch_.Look(At(4), kOnTime), Verdict::kSuspect);
  watch_.Seen('R', At(4));
  EXPECT_TRUE(watch_.is_waited_for());
  EXPECT_EQ(watch_.Look(At(7.9), kOnTime), Verdict::kNone);
  EXPECT_EQ(watch_.Look(At(8), kOnTime), Verdict::kSuspect);
  watch_.Seen('T', At(8));
  EXPECT_FALSE(watch_.is_waited_for());
  EXPECT_EQ(watch_.Look(At(9), seconds(20)), Verdict::kDead);
  EXPECT_NE(watch_.Describe(At(9)).find("no heartbeat for 9 s, last heard at "), std::string::npos);
  EXPECT_NE(watch_.Describe(At(9)).find("; the thread of its heartbeats is stopped (state T)"), std::string::npos);
}

// A thread that gets little of the CPU is woken late each time, which says nothing of a peer that is stopped.
TEST_F(PeerWatchTest, ALittleDelayAtATimeGivesNothingToAPeerThatIsStopped) {
  for (const auto& [state, dead_at] : {std::pair('T', 5.0), std::pair('S', 8.0)}) {
    PeerWatch watch(kTimes);
    watch.Heard(At(0));
    for (int i = 0; i < 6; ++i) watch.WokenLate(milliseconds(500));
    EXPECT_EQ(watch.Look(At(4), kOnTime), Verdict::kSuspect);
    watch.Seen(state, At(4));
    EXPECT_EQ(watch.Look(At(dead_at - 0.1), kOnTime), Verdict::kNone) << state;
    EXPECT_EQ(watch.Look(At(dead_at), kOnTime), Verdict::kDead) << state;
  }
}

TEST_F(PeerWatchTest, WhereAllWereStoppedAPeerThatStillIsHasItsTime) {
  watch_.Heard(At(0));
  watch_.WokenLate(seconds(30));
  EXPECT_EQ(watch_.Look(At(33.9), kOnTime), Verdict::kNone);
  EXPECT_EQ(watch_.Look(At(34), kOnTime), Verdict::kSuspect);
  watch_.Seen('T', At(34));
  watch_.WokenLate(seconds(30));
  EXPECT_EQ(watch_.Look(At(64.9), kOnTime), Verdict::kNone);
  EXPECT_EQ(watch_.Look(At(65), kOnTime), Verdict::kDead);
}

TEST_F(PeerWatchTest, ItsTimeIsWholeAgainOnceItWasHeard) {
  for (const double at : {0.0, 40.0}) {
    watch_.Heard(At(at));
    for (double s = 4; s <= 36; s += 4) {
      EXPECT_EQ(watch_.Look(At(at + s), kOnTime), Verdict::kSuspect) << at + s;
      watch_.Seen('R', At(at + s));
    }
  }
  watch_.Heard(At(80));
  EXPECT_EQ(watch_.Describe(At(80)).find("state"), std::string::npos);
}

TEST_F(PeerWatchTest, WhatItIsSeenAtCountsNotWhereItsConnectionHasEnded) {
  watch_.Heard(At(0));
  watch_.Ended(At(1));
  EXPECT_EQ(watch_.Look(At(1), kOnTime), Verdict::kSuspect);
  watch_.Seen('R', At(1));
  EXPECT_EQ(watch_.Look(At(1.3), kOnTime), Verdict::kDead);
}

TEST_F(PeerWatchTest, APeerIsNotWaitedForBeyondALongerSilence) {
  PeerWatch watch({seconds(10), seconds(1000), true});
  watch.Heard(At(0));
  EXPECT_EQ(watch.Look(At(800), kOnTime), Verdict::kSuspect);
  watch.Seen('R', At(800));
  EXPECT_EQ(watch.Look(At(1000), kOnTime), Verdict::kDead);
}

TEST_F(PeerWatchTest, AnEndedConnectionIsSuspectedAtOnceAndConfirmedSoon) {
  watch_.Heard(At(0));
  watch_.Ended(At(1));
  EXPECT_EQ(watch_.Look(At(1), kOnTime), Verdict::kSuspect);
  EXPECT_EQ(watch_.Look(At(1.2), kOnTime), Verdict::kNone);
  EXPECT_EQ(watch_.Look(At(1.3), kOnTime), Verdict::kDead);
  EXPECT_NE(watch_.Describe(At(2)).find("its process has ended"), std::string::npos);
}

TEST_F(PeerWatchTest, WhoHasLeftIsNotWatched) {
  watch_.Heard(At(0));
  watch_.Forget();
  watch_.Ended(At(1));
  EXPECT_EQ(watch_.Look(At(100), kOnTime), Verdict::kNone);
}

TEST_F(PeerWatchTest, WhereSilenceIsNotMindedOnlyAnEndIs) {
  PeerWatch watch({seconds(1), seconds(5), false});
  watch.Heard(At(0));
  EXPECT_EQ(watch.Look(At(1000), kOnTime), Verdict::kNone);
  watch.Ended(At(1000));
  EXPECT_EQ(watch.Look(At(1000), kOnTime), Verdict::kSuspect);
}

TEST_F(PeerWatchTest, LocalHealthIsForgottenByHalves) {
  LocalHealth local_health;
  local_health.Note(At(0), seconds(8));
  EXPECT_EQ(local_health.Lately(At(1)), seconds(8));
  EXPECT_EQ(local_health.Lately(At(2)), seconds(4));
  EXPECT_EQ(local_health.Lately(At(6.5)), seconds(1));
  local_health.Note(At(7), milliseconds(1));
  EXPECT_EQ(local_health.Lately(At(7)), seconds(1));
}

}  // namespace
}  // namespace dfrun::comm
