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
  EXPECT_EQ(watch_.Look(At(8.9), seconds(3)), Verdict::kNone);
  EXPECT_EQ(watch_.Look(At(9), seconds(3)), Verdict::kSuspect);
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

TEST_F(PeerWatchTest, LatenessIsForgottenByHalves) {
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
