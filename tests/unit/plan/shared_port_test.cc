#include "src/plan/shared_port.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "src/plan/search_random.h"

namespace dfrun {
namespace {

TEST(SharedPort, MessagesGetEqualParts) {
  SharedPort port;
  port.Add(7, 2, 1);
  EXPECT_EQ(port.NextEnd(), 3);
  port.Add(8, 3, 2);  // from now on each has half; the first has 1 left
  EXPECT_EQ(port.NextEnd(), 4);
  EXPECT_EQ(port.TakeNext(), 7);
  EXPECT_EQ(port.NextEnd(), 6);  // the second has had 1 of 3
  EXPECT_EQ(port.TakeNext(), 8);
  EXPECT_TRUE(port.IsEmpty());
}

struct Message {
  double begins_s = 0;
  double left_s = 0;
  double ends_s = -1;
};

// Moves all messages on by small steps of time.
void PassInSmallSteps(std::vector<Message>& messages, double step_s) {
  for (double now_s = 0;; now_s += step_s) {
    const auto passes = [&](const Message& m) { return m.begins_s <= now_s && m.ends_s < 0; };
    const auto passing = std::count_if(messages.begin(), messages.end(), passes);
    bool are_over = true;
    for (Message& message : messages) {
      are_over = are_over && message.ends_s >= 0;
      if (!passes(message)) continue;
      message.left_s -= step_s / static_cast<double>(passing);
      if (message.left_s <= 0) message.ends_s = now_s + step_s;
    }
    if (are_over) return;
  }
}

TEST(SharedPort, IsTheLimitOfSmallSteps) {
  constexpr double kStep = 1e-4;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SearchRandom random(seed);
    std::vector<Message> messages(8);
    for (Message& message : messages) message = {4 * random.Fraction(), 0.1 + random.Fraction(), -1};
    std::sort(messages.begin(), messages.end(), [](const auto& a, const auto& b) { return a.begins_s < b.begins_s; });
    std::vector<Message> small = messages;
    PassInSmallSteps(small, kStep);
    SharedPort port;
    size_t added = 0;
    while (added < messages.size() || !port.IsEmpty()) {
      if (added < messages.size() && (port.IsEmpty() || messages[added].begins_s <= port.NextEnd())) {
        port.Add(static_cast<int>(added), messages[added].left_s, messages[added].begins_s);
        ++added;
        continue;
      }
      const double end_s = port.NextEnd();
      messages[static_cast<size_t>(port.TakeNext())].ends_s = end_s;
    }
    for (size_t i = 0; i < messages.size(); ++i) EXPECT_NEAR(messages[i].ends_s, small[i].ends_s, 20 * kStep) << i;
  }
}

}  // namespace
}  // namespace dfrun
