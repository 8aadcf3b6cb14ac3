#include "src/base/descriptors.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace dfrun {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

// A limit of 64 for the test, and what fills it.
class DescriptorsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    const rlimit low = {64, before_.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  }
  void TearDown() override {
    for (const int fd : opened_) ::close(fd);
    ::setrlimit(RLIMIT_NOFILE, &before_);
  }
  bool Keep(int fd) {
    if (fd >= 0) opened_.push_back(fd);
    return fd >= 0;
  }
  void FillWithFiles() {
    while (Keep(::open("/dev/null", O_RDONLY))) continue;
  }
  void FillWithConnections() {
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    ASSERT_TRUE(Keep(listener));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
    ASSERT_EQ(::listen(listener, 64), 0);
    ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
    while (Keep(::socket(AF_INET, SOCK_STREAM, 0))) {
      ASSERT_EQ(::connect(opened_.back(), reinterpret_cast<sockaddr*>(&address), size), 0);
    }
  }
  std::vector<int> opened_;
  rlimit before_ = {};
  DescriptorWatch watch_;
  DescriptorWatch::Clock::time_point now_{};
};

TEST_F(DescriptorsTest, ConnectionsThatTakeAllAreNamedAfterFiveSeconds) {
  EXPECT_FALSE(watch_.Look(now_ += seconds(1)));
  FillWithConnections();
  for (int second = 0; second < 5; ++second) EXPECT_FALSE(watch_.Look(now_ += seconds(1))) << second;
  const std::optional<std::string> said = watch_.Look(now_ += seconds(1));
  ASSERT_TRUE(said);
  EXPECT_THAT(*said, HasSubstr("of 64 (ulimit -n)"));
  EXPECT_THAT(*said, HasSubstr("with 127.0.0.1; raise the limit"));
}

TEST_F(DescriptorsTest, OneThatIsFreeMeanwhileBeginsItAnew) {
  FillWithConnections();
  for (int second = 0; second < 5; ++second) EXPECT_FALSE(watch_.Look(now_ += seconds(1)));
  ::close(opened_.back());
  opened_.pop_back();
  EXPECT_FALSE(watch_.Look(now_ += seconds(1)));
  FillWithFiles();
  for (int second = 0; second < 5; ++second) EXPECT_FALSE(watch_.Look(now_ += seconds(1)));
  EXPECT_TRUE(watch_.Look(now_ += seconds(1)));
}

TEST_F(DescriptorsTest, FilesAreTheJobsOwn) {
  FillWithFiles();
  for (int second = 0; second < 20; ++second) EXPECT_FALSE(watch_.Look(now_ += seconds(1)));
}

TEST_F(DescriptorsTest, TheLimitIsRaisedToWhatIsAllowed) {
  RaiseDescriptorLimit();
  rlimit limit = {};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_EQ(limit.rlim_cur, std::min<rlim_t>(before_.rlim_max, 65'536));
}

}  // namespace
}  // namespace dfrun
