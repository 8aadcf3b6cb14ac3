#include "comm/heartbeat/acceptor.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <csignal>
#include <thread>

#include "comm/heartbeat/host_network.h"

namespace dfrun::comm {
namespace {

constexpr std::chrono::milliseconds kSilence(1000);
const Token kToken = {'a', 'b', 'c'};

class AcceptorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto listener = ListenOn("127.0.0.1", &port_);
    ASSERT_TRUE(listener.ok()) << listener.status().ToString();
    acceptor_ = std::make_unique<Acceptor>(*std::move(listener), kToken, kSilence);
  }
  Socket Knock(const std::string& says) {
    Socket socket = Socket::Connect("127.0.0.1", port_, kSilence);
    for (int i = 0; i < 100 && (i == 0 || socket.wants_to_write()); ++i) {
      i == 0 ? socket.Write(says) : socket.WriteMore();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return socket;
  }
  // Looks for some milliseconds, as if it was `later`.
  void Look(SteadyClock::duration later = {}) {
    for (int i = 0; i < 10; ++i) {
      acceptor_->Look(SteadyClock::now() + later, [&](Socket socket, const Frame& hello) {
        in_.push_back(hello.head.rank);
        let_in_.push_back(std::move(socket));
      });
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  static std::string Hello(const Token& token, int rank) {
    Frame frame;
    frame.head.type = static_cast<uint8_t>(FrameType::kHello);
    frame.head.rank = rank;
    frame.payload.assign(token.data(), token.size());
    return frame.Encode();
  }
  static bool IsClosed(Socket& socket) {
    for (int i = 0; i < 200; ++i) {
      if (socket.Read(1) != Socket::State::kOpen) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }

  uint16_t port_ = 0;
  std::unique_ptr<Acceptor> acceptor_;
  std::vector<int> in_;
  std::vector<Socket> let_in_;
};

TEST_F(AcceptorTest, WhoSaysTheTokenIsLetInAlsoByteByByte) {
  const std::string hello = Hello(kToken, 7);
  Socket whole = Knock(hello);
  Look();
  Socket parts = Knock(hello.substr(0, 10));
  Look();
  EXPECT_EQ(acceptor_->pending(), 1U);
  parts.Write(hello.substr(10));
  Look();
  EXPECT_EQ(in_, (std::vector<int>{7, 7}));
  EXPECT_EQ(acceptor_->pending(), 0U);
}

TEST_F(AcceptorTest, AnotherTokenOrNoFrameIsClosedAtOnce) {
  Token other = kToken;
  other[15] = 'x';
  Socket wrong = Knock(Hello(other, 1));
  Socket web = Knock("GET / HTTP/1.1\r\nHost: somewhere\r\n\r\n");
  Look();
  EXPECT_TRUE(IsClosed(wrong));
  EXPECT_TRUE(IsClosed(web));
  EXPECT_TRUE(in_.empty());
}

TEST_F(AcceptorTest, AFrameThatClaimsMuchIsNotWaitedFor) {
  FrameHead head;
  head.bytes = kMaxPayload;
  head.type = static_cast<uint8_t>(FrameType::kHello);
  Socket large = Knock(Pack(head, std::string(100, 'x')));
  Look();
  EXPECT_TRUE(IsClosed(large));
  EXPECT_EQ(acceptor_->pending(), 0U);
}

TEST_F(AcceptorTest, WhoSaysNothingIsClosedInTime) {
  Socket silent = Knock("");
  Look();
  EXPECT_EQ(acceptor_->pending(), 1U);
  Look(Acceptor::kPatience + std::chrono::milliseconds(1));
  EXPECT_EQ(acceptor_->pending(), 0U);
  EXPECT_TRUE(IsClosed(silent));
}

TEST_F(AcceptorTest, OfManyTheOldestAreClosed) {
  std::vector<Socket> many;
  for (int i = 0; i < 100; ++i) {
    many.push_back(Knock(""));
    if (i % 10 == 0) Look();
  }
  Look();
  EXPECT_EQ(acceptor_->pending(), Acceptor::kMaxPending);
  EXPECT_TRUE(IsClosed(many[0]));
  Socket rank = Knock(Hello(kToken, 3));
  Look();
  EXPECT_EQ(in_, (std::vector<int>{3}));
}

HostNetwork Host(const std::string& id, std::vector<HostAddress> addresses) {
  return {id, std::move(addresses)};
}

TEST(HostNetworkTest, RanksOfOneHostTalkOverItsLoopback) {
  const HostNetwork own = ThisHost();
  EXPECT_EQ(*ChooseAddresses({own, own}), (std::vector<std::string>{"127.0.0.1", "127.0.0.1"}));
}

TEST(HostNetworkTest, TheFirstNetworkThatAllHaveAndInWhichEachHasItsOwnAddressIsTaken) {
  const std::vector<HostNetwork> hosts = {
      Host("a", {{"172.17.0.1", 16}, {"10.1.0.1", 24}, {"192.168.7.1", 24}, {"10.9.0.1", 24}}),
      Host("b", {{"172.17.0.1", 16}, {"10.2.0.1", 24}, {"192.168.7.2", 24}, {"10.9.0.2", 24}}),
      Host("a", {{"172.17.0.1", 16}, {"10.1.0.1", 24}, {"192.168.7.1", 24}, {"10.9.0.1", 24}})};
  EXPECT_EQ(*ChooseAddresses(hosts), (std::vector<std::string>{"192.168.7.1", "192.168.7.2", "192.168.7.1"}));
}

TEST(HostNetworkTest, HostsOfSeveralNetworksAreReachedByRoutes) {
  const std::vector<HostNetwork> hosts = {Host("a", {{"172.17.0.1", 16}, {"10.1.0.1", 24}}),
                                          Host("b", {{"172.17.0.1", 16}, {"10.2.0.1", 24}})};
  EXPECT_EQ(*ChooseAddresses(hosts), (std::vector<std::string>{"10.1.0.1", "10.2.0.1"}));
  EXPECT_FALSE(ChooseAddresses({hosts[0], Host("c", {{"172.17.0.1", 16}})}).has_value());
}

TEST(HostNetworkTest, ItIsReadAsItWasWritten) {
  const HostNetwork host = Host("id:1", {{"10.1.0.1", 24}, {"fd00::1", 64}});
  const HostNetwork read = HostNetwork::Parse(host.Serialize());
  EXPECT_EQ(read.id, host.id);
  EXPECT_EQ(read.addresses, host.addresses);
}

}  // namespace
}  // namespace dfrun::comm
