#include "src/session/trace/message_steps.h"

#include <gtest/gtest.h>

#include "tests/unit/session/trace/trace_maker.h"

namespace dfrun::testing {
namespace {

using Kind = TraceRecord::Kind;

TEST(MessageStepsTest, TensorsAreNamedByBothEnds) {
  EXPECT_EQ(TensorOf({"x/_Send_5_1", "_Send"}), "x/_5_1");
  EXPECT_EQ(TensorOf({"x/_Recv_5_1", "_Recv"}), "x/_5_1");
  EXPECT_EQ(TensorOf({"renamed", "_Recv"}), "renamed");
}

int64_t StepOf(const Trace& trace, const TraceRecord& message) {
  const TraceRecord* const node = MessageSteps(trace).NodeOf(message);
  return node == nullptr ? -1 : node->step_id;
}

TraceRecord Message(Kind kind, int32_t channel, int32_t slot, int64_t start_ns, int64_t end_ns) {
  return {.kind = kind, .slot = slot, .start_ns = start_ns, .end_ns = end_ns, .channel = channel};
}

// A Send is over when its bytes may change, which may be before its message is complete; the message begins within it.
TEST(MessageStepsTest, AMessageIsOfTheSendThatItBeganIn) {
  TraceMaker maker;
  const uint32_t send = maker.Send("x/_Send_5", 5);
  maker.Waited(send, 0, 100, 110).step_id = 1;
  maker.Waited(send, 0, 200, 220).step_id = 2;
  EXPECT_EQ(StepOf(maker.trace(), Message(Kind::kSend, 5, 0, 101, 150)), 1);
  EXPECT_EQ(StepOf(maker.trace(), Message(Kind::kSend, 5, 0, 200, 205)), 2);
  EXPECT_EQ(StepOf(maker.trace(), Message(Kind::kSend, 5, 0, 90, 95)), -1) << "sent before the trace began";
  EXPECT_EQ(StepOf(maker.trace(), Message(Kind::kRecv, 5, 0, 101, 105)), -1) << "another end";
  EXPECT_EQ(StepOf(maker.trace(), Message(Kind::kSend, 6, 0, 101, 105)), -1) << "another channel";
}

// A receive may be posted, and its message may come, before the Recv runs; the Recv ends after it.
TEST(MessageStepsTest, AMessageIsOfTheRecvThatEndsAfterIt) {
  TraceMaker maker;
  const uint32_t recv = maker.Recv("x/_Recv_5", 5);
  maker.Waited(recv, 0, 100, 110).step_id = 1;
  maker.Waited(recv, 0, 200, 220).step_id = 2;
  EXPECT_EQ(StepOf(maker.trace(), Message(Kind::kRecv, 5, 0, 10, 50)), 1);
  EXPECT_EQ(StepOf(maker.trace(), Message(Kind::kRecv, 5, 0, 100, 110)), 1);
  EXPECT_EQ(StepOf(maker.trace(), Message(Kind::kRecv, 5, 0, 105, 150)), 2);
  EXPECT_EQ(StepOf(maker.trace(), Message(Kind::kRecv, 5, 0, 210, 230)), -1);
}

TEST(MessageStepsTest, StepsInFlightAreToldApartByTheirSlots) {
  TraceMaker maker;
  const uint32_t send = maker.Send("x/_Send_5", 5);
  maker.Waited(send, 0, 100, 200).step_id = 1;
  TraceRecord& other = maker.Waited(send, 1, 110, 190);
  other.step_id = 2;
  other.slot = 1;
  EXPECT_EQ(StepOf(maker.trace(), Message(Kind::kSend, 5, 0, 120, 130)), 1);
  EXPECT_EQ(StepOf(maker.trace(), Message(Kind::kSend, 5, 1, 120, 130)), 2);
}

}  // namespace
}  // namespace dfrun::testing
