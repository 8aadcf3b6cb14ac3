#include "src/session/trace/step_trace.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace dfrun {
namespace {

TEST(StepTraceTest, NamesOfAPlanAreAskedForOnce) {
  StepTrace trace;
  int asked = 0;
  const auto names = [&] {
    ++asked;
    return TraceNames{"cpu:0", {{"a", "Add"}, {"b", "Neg"}}};
  };
  trace.AddPlan(4, names);
  trace.AddPlan(4, names);
  EXPECT_EQ(asked, 1);
  trace.Add({.start_ns = 5, .plan = 4, .node = 1});
  const Trace taken = trace.Take();
  ASSERT_EQ(taken.records.size(), 1U);
  EXPECT_EQ(taken.node(taken.records[0]).name, "b");
  EXPECT_EQ(taken.node(taken.records[0]).op, "Neg");
  EXPECT_EQ(taken.device(taken.records[0]), "cpu:0");
  trace.AddPlan(4, names);
  EXPECT_EQ(asked, 2) << "what has been taken is forgotten";
}

// More than a chunk of a buffer, taken while it grows.
TEST(StepTraceTest, RecordsMayBeTakenWhileOthersAreAdded) {
  constexpr int kThreads = 3;
  constexpr int64_t kCount = 20'000;
  StepTrace trace;
  std::atomic<int> running{kThreads};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (int64_t n = 0; n < kCount; ++n) trace.Add({.start_ns = n, .step_id = i});
      running.fetch_sub(1);
    });
  }
  std::vector<int64_t> next(kThreads, 0);
  const auto take = [&] {
    for (const TraceRecord& record : trace.Take().records) {
      EXPECT_EQ(record.start_ns, next[static_cast<size_t>(record.step_id)]++);
    }
  };
  while (running.load() > 0) take();
  for (std::thread& thread : threads) thread.join();
  take();
  for (int64_t count : next) EXPECT_EQ(count, kCount);
}

}  // namespace
}  // namespace dfrun
