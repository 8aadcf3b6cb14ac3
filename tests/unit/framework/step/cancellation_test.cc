#include "src/framework/step/cancellation.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace dfrun {
namespace {

class Counting final : public Waiter {
 public:
  void Cancel(const Status& status) override {
    ++count;
    last = status;
  }
  int count = 0;
  Status last;
};

TEST(CancellationTest, EndsAllThatWaitWithTheFirstError) {
  Cancellation cancellation;
  Counting a, b, c;
  for (Counting* waiter : {&a, &b, &c}) ASSERT_TRUE(cancellation.Add(*waiter).ok());
  EXPECT_TRUE(cancellation.Remove(b));
  cancellation.Cancel(Status(Code::kCancelled, "first"));
  cancellation.Cancel(Status(Code::kCancelled, "second"));
  EXPECT_EQ(a.count, 1);
  EXPECT_EQ(b.count, 0);
  EXPECT_EQ(c.count, 1);
  EXPECT_EQ(a.last.message(), "first");
}

TEST(CancellationTest, NothingWaitsAfterIt) {
  Cancellation cancellation;
  cancellation.Cancel(Status(Code::kCancelled, "over"));
  Counting late;
  EXPECT_EQ(cancellation.Add(late).message(), "over");
  EXPECT_EQ(late.count, 0);
}

TEST(CancellationTest, EachWaiterEndsOnceWhoeverIsFaster) {
  for (int round = 0; round < 200; ++round) {
    Cancellation cancellation;
    std::vector<std::unique_ptr<Counting>> waiters;
    for (int i = 0; i < 16; ++i) {
      waiters.push_back(std::make_unique<Counting>());
      ASSERT_TRUE(cancellation.Add(*waiters.back()).ok());
    }
    std::vector<int> removed(waiters.size());
    std::thread remover([&] {
      for (size_t i = 0; i < waiters.size(); ++i) removed[i] = cancellation.Remove(*waiters[i]) ? 1 : 0;
    });
    cancellation.Cancel(Status(Code::kCancelled, "over"));
    remover.join();
    for (size_t i = 0; i < waiters.size(); ++i) EXPECT_EQ(waiters[i]->count + removed[i], 1);
  }
}

}  // namespace
}  // namespace dfrun
