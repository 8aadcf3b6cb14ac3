#include "comm/control/control_link.h"

#include <gtest/gtest.h>

#include <memory>

#include "comm/in_process/in_process_transport.h"

namespace dfrun::comm {
namespace {

class ControlLinkTest : public ::testing::Test {
 protected:
  void PollAll() {
    for (int i = 0; i < 20; ++i) {
      for (ControlLink* link : {&a_, &b_, &c_}) link->Poll();
    }
  }
  const std::shared_ptr<InProcessHub> hub_ = std::make_shared<InProcessHub>(3);
  ControlLink a_{std::make_unique<InProcessTransport>(hub_, 0)};
  ControlLink b_{std::make_unique<InProcessTransport>(hub_, 1)};
  ControlLink c_{std::make_unique<InProcessTransport>(hub_, 2)};
};

TEST_F(ControlLinkTest, MessagesOfAnyLengthArriveInOrder) {
  std::vector<std::string> sent;
  for (size_t length : {0ul, 1ul, 503ul, 504ul, 505ul, 512ul, 513ul, 100000ul, 3ul}) {
    sent.emplace_back(length, static_cast<char>('a' + sent.size()));
  }
  std::vector<std::string> got;
  b_.Listen({0}, [&](int from, std::string message) {
    EXPECT_EQ(from, 0);
    got.push_back(std::move(message));
  });
  for (const std::string& message : sent) a_.Send(1, message);
  EXPECT_FALSE(a_.Flushed());
  PollAll();
  EXPECT_EQ(got, sent);
  EXPECT_TRUE(a_.Flushed());
  EXPECT_TRUE(b_.status().ok());
}

TEST_F(ControlLinkTest, HandlersMayAnswerAndPassOn) {
  std::vector<std::string> at_a;
  std::vector<std::string> at_c;
  a_.Listen({1}, [&](int, std::string message) { at_a.push_back(std::move(message)); });
  b_.Listen({0, 2}, [&](int from, const std::string& message) {
    b_.Send(from, "seen " + message);
    b_.Send(2 - from, "passed " + message);
  });
  c_.Listen({1}, [&](int, std::string message) { at_c.push_back(std::move(message)); });
  a_.Send(1, "x");
  c_.Send(1, "y");
  PollAll();
  EXPECT_EQ(at_a.size(), 2u);
  EXPECT_EQ(at_c.size(), 2u);
}

TEST_F(ControlLinkTest, ADamagedLengthIsAnErrorOfTheLink) {
  InProcessTransport raw(hub_, 0);
  b_.Listen({0}, [](int, const std::string&) { FAIL() << "no message"; });
  const std::vector<unsigned char> frame(ControlLink::kFrameBytes, 0xff);
  raw.Send(1, 0, frame.data(), frame.size(), {[](void*, Status) {}, nullptr});
  PollAll();
  EXPECT_EQ(b_.status().code(), Code::kInternal);
}

}  // namespace
}  // namespace dfrun::comm
