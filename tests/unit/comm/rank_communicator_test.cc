#include "comm/bootstrap/rank_communicator.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "comm/driven_transport.h"

namespace dfrun::comm {
namespace {

// A network on which nothing ever comes; calls wait until the end.
class SilentNetwork final : public DrivenTransport {
 public:
  explicit SilentNetwork(int* looks) : looks_(looks) {}

  std::string_view name() const override { return "silent"; }
  int rank() const override { return 0; }
  int size() const override { return 2; }
  int32_t max_channels() const override { return 16384; }
  int32_t max_slots() const override { return 2; }

 private:
  void Start(const Call& call, Completions* /*completed*/) override { calls_.push_back(call); }
  bool Progress(Completions* /*completed*/) override {
    ++*looks_;
    return false;
  }
  bool HasStarted() const override { return !calls_.empty(); }
  void EndAll(const Status& status, Completions* completed) override {
    for (const Call& call : std::exchange(calls_, {})) Complete(call, status, completed);
  }

  int* const looks_;
  std::vector<Call> calls_;
};

class RankCommunicatorTest : public testing::Test {
 protected:
  RankCommunicatorTest() {
    auto tensors = std::make_unique<SilentNetwork>(&looks_for_values_);
    tensors_ = tensors.get();
    communicator_ =
        std::make_unique<RankCommunicator>(std::move(tensors), std::make_unique<SilentNetwork>(&looks_for_control_));
  }
  void Poll(int times) {
    for (int i = 0; i < times; ++i) EXPECT_FALSE(communicator_->Poll());
  }

  int looks_for_values_ = 0;
  int looks_for_control_ = 0;
  DrivenTransport* tensors_;
  std::unique_ptr<RankCommunicator> communicator_;
};

// A rank that waits for a request may lose its core with every poll.
TEST_F(RankCommunicatorTest, WithoutAValueToWaitForEachPollLooksForControlMessages) {
  Poll(1);  // before the first poll, nobody has seen what is pending
  looks_for_control_ = 0;
  Poll(20);
  EXPECT_EQ(looks_for_control_, 20);
  EXPECT_EQ(looks_for_values_, 21);
}

TEST_F(RankCommunicatorTest, WithAValueToWaitForOneInFourDoes) {
  char value = 0;
  int ended = 0;
  const Callback done{[](void* count, Status /*status*/) { ++*static_cast<int*>(count); }, &ended};
  tensors_->RecvLater(1, {}, &value, sizeof value, done);
  EXPECT_FALSE(tensors_->is_idle());
  looks_for_control_ = 0;
  Poll(20);
  EXPECT_EQ(looks_for_control_, 5);
  tensors_->Abort(Error(Code::kCancelled, "the test ends"));
  EXPECT_EQ(ended, 1);
  EXPECT_TRUE(tensors_->is_idle());
}

}  // namespace
}  // namespace dfrun::comm
