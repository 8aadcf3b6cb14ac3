#include "comm/rendezvous/rank_rendezvous.h"

#include <gtest/gtest.h>

#include <memory>

#include "comm/self/self_transport.h"

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
    for (int64_t step : {0, 1}) StartStep(step);
  }
  void StartStep(int64_t step) {
    rendezvous_[0].StartStep(step);
    rendezvous_[1].StartStep(step);
  }
  void PollBoth() {
    for (int i = 0; i < 10; ++i) {
      transports_[0].Poll();
      transports_[1].Poll();
    }
  }

  const std::shared_ptr<SelfHub> hub_ = std::make_shared<SelfHub>(2);
  SelfTransport transports_[2] = {{hub_, 0}, {hub_, 1}};
  RankRendezvous rendezvous_[2] = {RankRendezvous(transports_[0]), RankRendezvous(transports_[1])};
};

TEST_F(RankRendezvousTest, PlacesValuesOfStaticShape) {
  const Tensor sent = Tensor::Vector<float>({1, 2, 3});
  Tensor place(DType::kFloat, Shape({3}));
  const void* memory = place.raw();
  Call send;
  Call recv;
  rendezvous_[1].Recv({5, 0, true}, SystemAllocator(), &place, nullptr, recv.callback());
  rendezvous_[0].Send({5, 1, true}, sent, false, send.callback());
  PollBoth();
  ASSERT_TRUE(send.done && recv.done);
  EXPECT_TRUE(recv.status.ok()) << recv.status.ToString();
  EXPECT_TRUE(place.Identical(sent));
  EXPECT_EQ(place.raw(), memory);
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
  rendezvous_[0].StartStep(10);
  rendezvous_[0].Send({9, 1, true}, first, false, sends[0].callback());
  rendezvous_[0].StartStep(11);  // the sender runs ahead
  rendezvous_[0].Send({9, 1, true}, second, false, sends[1].callback());
  rendezvous_[1].StartStep(11);
  Tensor value(DType::kInt32, Shape());
  Call recv;
  rendezvous_[1].Recv({9, 0, true}, SystemAllocator(), &value, nullptr, recv.callback());
  PollBoth();
  ASSERT_TRUE(recv.done);
  EXPECT_EQ(value.scalar<int32_t>(), 2);
  EXPECT_FALSE(sends[0].done);
  transports_[0].Abort(Internal("end"));
  PollBoth();
}

// Iterations send in an order of their own, and ask in another.
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

TEST(MaxChannelsTest, LeavesABitForTheParity) {
  EXPECT_EQ(MaxChannels((1u << 23) - 1), 1 << 22);
  EXPECT_EQ(MaxChannels(32767), 16384);
  EXPECT_EQ(MaxChannels(UINT32_MAX), INT32_MAX);
}

}  // namespace
}  // namespace dfrun::comm
