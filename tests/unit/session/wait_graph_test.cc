#include "src/session/wait_graph.h"

#include <gtest/gtest.h>

#include "src/base/status.h"
#include "src/framework/op/wait_kind.h"

namespace dfrun {
namespace {

using control::BlockedNode;
using control::RankReport;

class WaitGraphTest : public ::testing::Test {
 protected:
  WaitGraphTest() {
    for (int rank = 0; rank < 3; ++rank) {
      reports_.emplace_back(RankReport());
      reports_.back()->set_rank(rank);
      reports_.back()->set_progress(7);
    }
  }
  BlockedNode& Add(int rank, const std::string& name, const std::string& op, WaitKind kind) {
    BlockedNode& node = *reports_[static_cast<size_t>(rank)]->add_blocked();
    node.set_name(name);
    node.set_op(op);
    node.set_kind(static_cast<int>(kind));
    node.set_step(4);
    return node;
  }
  BlockedNode& AddRecv(int rank, const std::string& value, int channel, int peer) {
    BlockedNode& node = Add(rank, value + "/_Recv", "_Recv", WaitKind::kRecv);
    node.set_subject(value);
    node.set_channel(channel);
    node.set_peer(peer);
    return node;
  }
  void AddSent(int rank, int channel, int64_t step, bool has_left) {
    control::SentValue& sent = *reports_[static_cast<size_t>(rank)]->add_sent();
    sent.set_channel(channel);
    sent.set_step(step);
    sent.set_has_left(has_left);
  }
  void ExpectSays(const std::string& text) const {
    const std::string said = WaitGraph(reports_).Text();
    EXPECT_NE(said.find(text), std::string::npos) << said;
  }

  RankReports reports_;
};

TEST_F(WaitGraphTest, AnEdgeLeadsToTheNodeThatHoldsItsSendUp) {
  AddRecv(2, "grad/W:0", 5, 1);
  BlockedNode& dequeue = Add(1, "take", "QueueDequeueV2", WaitKind::kTake);
  dequeue.set_subject("batches");
  dequeue.add_sends(5);
  ExpectSays("rank 2 waits for grad/W:0 from rank 1, which waits in Dequeue(batches), and no node");
  EXPECT_EQ(WaitGraph(reports_).Cycle(), "");
}

TEST_F(WaitGraphTest, ACycleOverRanksIsFound) {
  AddRecv(0, "y:0", 1, 1).add_sends(2);
  AddRecv(1, "x:0", 2, 0).add_sends(1);
  EXPECT_EQ(WaitGraph(reports_).Cycle(),
            "rank 0 waits for y:0 from rank 1, which waits for x:0 from rank 0, which waits for y:0 from rank 1");
  EXPECT_EQ(WhyStuck(reports_, reports_), "ranks wait for one another in a cycle");
}

TEST_F(WaitGraphTest, ParticipantsWaitForThoseThatHaveNotCome) {
  Add(0, "sum", "_AllReduce", WaitKind::kMeet).set_group(3);
  AddRecv(1, "x:0", 2, 2).add_meets(3);
  ExpectSays(
      "rank 0 waits in AllReduce 'sum' for the other participants, behind x:0/_Recv of rank 1, which waits for "
      "x:0 from rank 2");
}

TEST_F(WaitGraphTest, RanksThatSayTheSameAreOneLine) {
  for (int rank = 3; rank < 7; ++rank) {
    reports_.emplace_back(RankReport());
    reports_.back()->set_rank(rank);
  }
  for (int rank = 1; rank < 5; ++rank) AddRecv(rank, "W/read:0", rank, 0);
  ExpectSays("  rank 4 waits for W/read:0 from rank 0, which is not at its Send in step 4 (step 4)\n");
  AddRecv(5, "W/read:0", 5, 0);
  AddRecv(6, "b/read:0", 6, 0);
  ExpectSays(
      "  5 of 7 ranks say: waits for W/read:0 from rank 0, which is not at its Send in step 4 (step 4)\n"
      "  rank 6 waits for b/read:0 from rank 0");
}

TEST_F(WaitGraphTest, SilentRanksAndThoseAtWorkAreNamed) {
  AddRecv(0, "x:0", 2, 1);
  AddRecv(0, "y:0", 3, 2);
  reports_[1].reset();
  reports_[2]->set_at_work("computes on a CPU");
  ExpectSays("rank 0 waits for x:0 from rank 1, which is silent");
  ExpectSays("rank 0 waits for y:0 from rank 2, which computes on a CPU");
  ExpectSays("rank 1 is silent: it does not answer");
  EXPECT_EQ(WhyStuck(reports_, reports_), "");
}

TEST_F(WaitGraphTest, ALostMessageIsStuckAndOneOnItsWayIsNot) {
  AddRecv(0, "x:0", 2, 1);
  AddSent(1, 2, 4, true);
  ExpectSays("which has sent it: the message is on its way, or lost");
  EXPECT_NE(WhyStuck(reports_, reports_), "");
  reports_[1]->mutable_sent(0)->set_has_left(false);
  ExpectSays("which is sending it");
  EXPECT_EQ(WhyStuck(reports_, reports_), "");
}

TEST_F(WaitGraphTest, WhatMovedBetweenTheLooksIsNotStuck) {
  AddRecv(0, "x:0", 2, 1);
  const RankReports before = reports_;
  EXPECT_NE(WhyStuck(before, reports_), "");
  reports_[2]->set_activity(1);
  EXPECT_EQ(WhyStuck(before, reports_), "");
  reports_[2]->set_activity(0);
  reports_[2]->set_progress(8);
  EXPECT_EQ(WhyStuck(before, reports_), "");
  reports_[2]->set_progress(7);
  reports_[2]->set_at_work("reads");
  EXPECT_EQ(WhyStuck(before, reports_), "");
  EXPECT_EQ(WhyStuck(reports_, before), "");
}

TEST_F(WaitGraphTest, RanksThatAllRestWithoutAStepAreNotStuck) {
  EXPECT_EQ(WhyStuck(reports_, reports_), "");
  ExpectSays("3 ranks wait for a request of rank 0");
}

TEST_F(WaitGraphTest, ManyNodesOfARankAreCounted) {
  for (int i = 0; i < 20; ++i) AddRecv(0, StrCat("x", i), i, 1);
  reports_[0]->set_more_blocked(5);
  ExpectSays("rank 0 waits in 17 more nodes");
}

}  // namespace
}  // namespace dfrun
