#include "comm/rendezvous/rank_rendezvous.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "comm/in_process/in_process_transport.h"
#include "comm/tag_layout.h"

namespace dfrun::comm {
namespace {

struct Call {
  bool done = false;
  Status status;
  Callback callback() {
    return {[](void* arg, Status status) {
              auto* self = static_cast<Call*>(arg);
              EXPECT_FALSE(self->done) << "called back twice";
              self->done = true;
              self->status = std::move(status);
            },
            this};
  }
};

// Two ranks on one thread.
class RankRendezvousTest : public ::testing::Test {
 protected:
  RankRendezvousTest() {
    for ([[maybe_unused]] int step : {0, 1}) StartStep(ErrorScope::kSession);
  }
  void StartStep(ErrorScope scope) {
    rendezvous_[0].StartStep(scope);
    rendezvous_[1].StartStep(scope);
  }
  void PollBoth() {
    for (int i = 0; i < 10; ++i) {
      transports_[0].Poll();
      transports_[1].Poll();
    }
  }

  const std::shared_ptr<InProcessHub> hub_ = std::make_shared<InProcessHub>(2);
  InProcessTransport transports_[2] = {{hub_, 0}, {hub_, 1}};
  // Channels 20 to 25 go from rank 0 to rank 1.
  static std::vector<ChannelEndpoint> Ends(bool is_send) {
    const int peer = is_send ? 1 : 0;
    return {{20, peer, is_send, false, true, 12},
            {21, peer, is_send, false, true, 0},
            {22, peer, is_send},
            {23, peer, is_send},
            {24, peer, is_send, true},
            {25, peer, is_send, true}};
  }
  const std::vector<ChannelEndpoint> ends_[2] = {Ends(true), Ends(false)};
  RankRendezvous rendezvous_[2] = {{transports_[0], 3, ends_[0]}, {transports_[1], 3, ends_[1]}};
};

TEST_F(RankRendezvousTest, PlacesValuesOfStaticShape) {
  const Tensor sent = Tensor::Vector<float>({1, 2, 3});
  Tensor target(DType::kFloat, Shape({3}));
  const void* memory = target.raw();
  Call send;
  Call recv;
  rendezvous_[1].Recv({5, 0, true}, SystemAllocator(), &target, nullptr, recv.callback());
  rendezvous_[0].Send({5, 1, true}, sent, false, send.callback());
  PollBoth();
  ASSERT_TRUE(send.done && recv.done);
  EXPECT_TRUE(recv.status.ok()) << recv.status.ToString();
  EXPECT_TRUE(target.Identical(sent));
  EXPECT_EQ(target.raw(), memory);
}

TEST_F(RankRendezvousTest, CarriesDeadness) {
  for (int peer : {0, 1}) {  // in memory, and over the transport
    Tensor value;
    bool is_dead = false;
    Call send;
    Call recv;
    rendezvous_[0].Send({6, peer, false}, Tensor(), true, send.callback());
    rendezvous_[peer].Recv({6, 0, false}, SystemAllocator(), &value, &is_dead, recv.callback());
    PollBoth();
    ASSERT_TRUE(send.done && recv.done);
    EXPECT_TRUE(recv.status.ok());
    EXPECT_TRUE(is_dead);
    EXPECT_FALSE(value.initialized());
  }
}

TEST_F(RankRendezvousTest, RefusesWhatAStaticChannelCannotCarry) {
  Call dead;
  Call text;
  Call nowhere;
  Tensor none;
  rendezvous_[0].Send({7, 1, true}, Tensor(), true, dead.callback());
  rendezvous_[0].Send({7, 1, true}, Tensor::Scalar<std::string>("x"), false, text.callback());
  rendezvous_[0].Recv({7, 1, true}, SystemAllocator(), &none, nullptr, nowhere.callback());
  for (const Call* call : {&dead, &text, &nowhere}) {
    ASSERT_TRUE(call->done);
    EXPECT_EQ(call->status.code(), Code::kInternal);
  }
}

TEST_F(RankRendezvousTest, OnOneRankOwnedValuesAreSharedAndBorrowedOnesCopied) {
  const Tensor owned = Tensor::Vector<float>({1, 2});
  float memory[2] = {3, 4};
  const Tensor borrowed = Tensor::Borrowed(DType::kFloat, Shape({2}), memory);
  for (const Tensor& sent : {owned, borrowed}) {
    for (bool receive_first : {false, true}) {
      Tensor value;
      bool is_dead = true;
      Call send;
      Call recv;
      if (!receive_first) rendezvous_[0].Send({8, 0, false}, sent, false, send.callback());
      rendezvous_[0].Recv({8, 0, false}, SystemAllocator(), &value, &is_dead, recv.callback());
      if (receive_first) rendezvous_[0].Send({8, 0, false}, sent, false, send.callback());
      ASSERT_TRUE(send.done && recv.done);
      EXPECT_FALSE(is_dead);
      EXPECT_TRUE(value.Identical(sent));
      EXPECT_FALSE(value.borrowed());
      EXPECT_EQ(value.SharesBufferWith(sent), !sent.borrowed());
    }
  }
}

TEST_F(RankRendezvousTest, StepsInARowDoNotMix) {
  const Tensor first = Tensor::Scalar(1);
  const Tensor second = Tensor::Scalar(2);
  Call sends[2];
  rendezvous_[0].StartStep(ErrorScope::kSession);
  rendezvous_[0].Send({9, 1, true}, first, false, sends[0].callback());
  RankRendezvous next[2] = {{transports_[0], 4, ends_[0]}, {transports_[1], 4, ends_[1]}};
  next[0].StartStep(ErrorScope::kSession);  // the sender runs ahead
  next[0].Send({9, 1, true}, second, false, sends[1].callback());
  next[1].StartStep(ErrorScope::kSession);
  Tensor value(DType::kInt32, Shape());
  Call recv;
  next[1].Recv({9, 0, true}, SystemAllocator(), &value, nullptr, recv.callback());
  PollBoth();
  ASSERT_TRUE(recv.done);
  EXPECT_EQ(value.scalar<int32_t>(), 2);
  EXPECT_FALSE(sends[0].done);
  transports_[0].Abort(Internal("end"));
  PollBoth();
}

// Iterations send in one order and ask in another.
TEST_F(RankRendezvousTest, ValuesOfALoopAreMatchedByTheirIteration) {
  Tensor large(DType::kDouble, Shape({300, 7}));
  for (int i = 0; i < 2100; ++i) large.data<double>()[i] = i;
  const Tensor values[5] = {Tensor::Scalar<int32_t>(7), large, Tensor::Scalar<std::string>("text"), Tensor(),
                            Tensor(DType::kFloat, Shape({0}))};
  constexpr int kSent[5] = {2, 0, 4, 1, 3};
  constexpr int kAsked[5] = {4, 1, 3, 0, 2};
  for (int peer : {0, 1}) {  // in memory, and over the transport
    for (int asked_first : {0, 2, 5}) {
      Tensor received[5];
      bool is_dead[5] = {};
      Call sends[5];
      Call recvs[5];
      const auto ask = [&](int i) {
        rendezvous_[peer].Recv({12, 0, false, uint64_t{1000} + i}, SystemAllocator(), &received[i], &is_dead[i],
                               recvs[i].callback());
      };
      for (int k = 0; k < asked_first; ++k) ask(kAsked[k]);
      PollBoth();
      for (int i : kSent) {
        rendezvous_[0].Send({12, peer, false, uint64_t{1000} + i}, values[i], i == 3, sends[i].callback());
        PollBoth();
      }
      for (int k = asked_first; k < 5; ++k) ask(kAsked[k]);
      PollBoth();
      for (int i = 0; i < 5; ++i) {
        ASSERT_TRUE(sends[i].done && recvs[i].done) << i;
        EXPECT_TRUE(recvs[i].status.ok()) << recvs[i].status.ToString();
        EXPECT_EQ(is_dead[i], i == 3);
        EXPECT_TRUE(i == 3 || received[i].Identical(values[i])) << i;
      }
    }
  }
}

TEST_F(RankRendezvousTest, AbortEndsAllIterationsThatWait) {
  for (int peer : {1, 0}) {
    Tensor values[3];
    bool is_dead[3];
    Call recvs[3];
    for (int i = 0; i < 3; ++i) {
      rendezvous_[0].Recv({13, peer, false, uint64_t{1} + i}, SystemAllocator(), &values[i], &is_dead[i],
                          recvs[i].callback());
    }
    rendezvous_[0].Abort(InvalidArgument("broken"));
    PollBoth();
    for (const Call& recv : recvs) {
      ASSERT_TRUE(recv.done);
      EXPECT_EQ(recv.status, InvalidArgument("broken"));
    }
  }
}

TEST_F(RankRendezvousTest, AbortEndsWhatWaitsAndWhatComes) {
  const Status reason = InvalidArgument("broken");
  Tensor values[3];
  bool is_dead[3];
  Call recvs[3];
  Call send;
  rendezvous_[0].Recv({1, 1, false}, SystemAllocator(), &values[0], &is_dead[0], recvs[0].callback());
  rendezvous_[0].Recv({2, 0, false}, SystemAllocator(), &values[1], &is_dead[1], recvs[1].callback());
  rendezvous_[0].Send({3, 1, false}, Tensor::Scalar(1), false, send.callback());
  rendezvous_[0].Abort(reason);
  rendezvous_[0].Abort(Internal("later"));
  rendezvous_[0].Recv({4, 0, false}, SystemAllocator(), &values[2], &is_dead[2], recvs[2].callback());
  PollBoth();
  for (const Call& recv : recvs) {
    ASSERT_TRUE(recv.done);
    EXPECT_EQ(recv.status, reason);
  }
  ASSERT_TRUE(send.done);
  EXPECT_EQ(send.status, reason);
}

// Some values were sent, some were asked for, some neither: after the failure all channels are as after a step that
// went well.
TEST_F(RankRendezvousTest, AStepThatFailsAloneLeavesNothingOnItsWay) {
  const Status reason = InvalidArgument("broken");
  for (int round = 0; round < 3; ++round) {
    StartStep(ErrorScope::kStep);
    const Tensor sent = Tensor::Vector<float>({1, 2, 3});
    Tensor target(DType::kFloat, Shape({3}));
    Tensor empty(DType::kFloat, Shape({0}));
    Tensor values[4];
    bool is_dead[4] = {};
    Call sends[3];
    Call recvs[6];
    rendezvous_[0].Send({22, 1, false}, sent, false, sends[0].callback());                         // nobody asks
    rendezvous_[0].Send({24, 1, false, 7}, sent, false, sends[1].callback());                      // nobody asks
    rendezvous_[1].Recv({20, 0, true}, SystemAllocator(), &target, nullptr, recvs[0].callback());  // nobody sends
    rendezvous_[1].Recv({21, 0, true}, SystemAllocator(), &empty, nullptr, recvs[1].callback());   // nobody sends
    rendezvous_[1].Recv({23, 0, false}, SystemAllocator(), &values[0], &is_dead[0], recvs[2].callback());
    rendezvous_[1].Recv({25, 0, false, 9}, SystemAllocator(), &values[1], &is_dead[1], recvs[3].callback());
    PollBoth();
    Call quiet[2];
    rendezvous_[0].EndStep(reason, quiet[0].callback());
    PollBoth();
    for (const Call& recv : recvs) EXPECT_FALSE(recv.done) << "before the news is there";
    rendezvous_[1].EndStep(reason, quiet[1].callback());
    PollBoth();
    ASSERT_TRUE(quiet[0].done && quiet[1].done);
    for (int i = 0; i < 4; ++i) {
      ASSERT_TRUE(recvs[i].done) << i;
      EXPECT_EQ(recvs[i].status, reason);
    }
    EXPECT_TRUE(sends[0].done && sends[1].done);
    // A later Send or Recv ends at once.
    rendezvous_[0].Send({23, 1, false}, sent, false, sends[2].callback());
    rendezvous_[1].Recv({22, 0, false}, SystemAllocator(), &values[2], &is_dead[2], recvs[4].callback());
    rendezvous_[1].Recv({24, 0, false, 7}, SystemAllocator(), &values[3], &is_dead[3], recvs[5].callback());
    for (const Call* late : {&sends[2], &recvs[4], &recvs[5]}) {
      ASSERT_TRUE(late->done);
      EXPECT_EQ(late->status, reason);
    }

    // The next step in the slot is whole.
    StartStep(ErrorScope::kStep);
    Call next[8];
    rendezvous_[0].Send({20, 1, true}, sent, false, next[0].callback());
    rendezvous_[0].Send({22, 1, false}, Tensor(), true, next[1].callback());
    rendezvous_[0].Send({24, 1, false, 8}, sent, false, next[2].callback());
    rendezvous_[0].Send({25, 1, false, 9}, sent, false, next[3].callback());
    rendezvous_[1].Recv({20, 0, true}, SystemAllocator(), &target, nullptr, next[4].callback());
    rendezvous_[1].Recv({22, 0, false}, SystemAllocator(), &values[2], &is_dead[2], next[5].callback());
    rendezvous_[1].Recv({24, 0, false, 8}, SystemAllocator(), &values[3], &is_dead[3], next[6].callback());
    rendezvous_[1].Recv({25, 0, false, 9}, SystemAllocator(), &values[1], &is_dead[1], next[7].callback());
    PollBoth();
    for (const Call& call : next) {
      ASSERT_TRUE(call.done);
      EXPECT_TRUE(call.status.ok()) << call.status.ToString();
    }
    EXPECT_TRUE(target.Identical(sent) && values[3].Identical(sent) && values[1].Identical(sent));
    EXPECT_TRUE(is_dead[2]);
    // A step that ended well on rank 1 and fails on rank 0, which sends nothing on the channels that are left.
    Call rest[2];
    rendezvous_[0].EndStep(reason, rest[0].callback());
    rendezvous_[1].EndStep(reason, rest[1].callback());
    PollBoth();
    ASSERT_TRUE(rest[0].done && rest[1].done);
  }
}

TEST(TagLayoutTest, TakesTheSlotFromTheBitsThereAre) {
  struct Case {
    uint32_t max_tag;
    int32_t channels;
    int32_t slots;
  };
  for (const Case& c : {Case{32767, 1 << 14, 2}, Case{(1u << 23) - 1, 1 << 20, 8}, Case{INT32_MAX, 1 << 26, 32},
                        Case{UINT32_MAX, 1 << 27, 32}, Case{40000, 1 << 14, 2}}) {
    const TagLayout layout(c.max_tag);
    EXPECT_EQ(layout.max_channels(), c.channels);
    EXPECT_EQ(layout.max_slots(), c.slots);
    EXPECT_LE(layout.Pack({c.channels - 1, c.slots - 1}), c.max_tag);
    EXPECT_NE(layout.Pack({1, 0}), layout.Pack({0, 1}));
  }
}

}  // namespace
}  // namespace dfrun::comm
