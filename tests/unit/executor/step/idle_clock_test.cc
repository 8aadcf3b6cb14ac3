#include "src/executor/step/idle_clock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "src/executor/step/worker_pool.h"

namespace dfrun {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using SteadyClock = std::chrono::steady_clock;

constexpr milliseconds kWait(20);

TEST(IdleClockTest, TimeCountsWhileNoThreadIsAtWork) {
  IdleClock clock(2);
  clock.BeginIdle();
  std::this_thread::sleep_for(kWait);
  EXPECT_EQ(clock.idle_ns(), 0);  // the other thread is at work
  const SteadyClock::time_point begin = SteadyClock::now();
  clock.BeginIdle();
  std::this_thread::sleep_for(kWait);
  EXPECT_GE(clock.idle_ns(), nanoseconds(kWait).count() / 2);  // a wait that has not ended counts
  clock.EndIdle();
  const nanoseconds most = SteadyClock::now() - begin;
  const int64_t idle_ns = clock.idle_ns();
  EXPECT_GE(idle_ns, nanoseconds(kWait).count() - 16);
  EXPECT_LE(idle_ns, most.count() + 16);
  std::this_thread::sleep_for(kWait);
  clock.EndIdle();
  EXPECT_EQ(clock.idle_ns(), idle_ns);
}

TEST(IdleClockTest, ManyThreadsLeaveTheCountAsItWas) {
  constexpr int kThreads = 4;
  IdleClock clock(kThreads);
  const SteadyClock::time_point begin = SteadyClock::now();
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int turn = 0; turn < 20'000; ++turn) {
        clock.BeginIdle();
        clock.EndIdle();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const nanoseconds whole = SteadyClock::now() - begin;
  const int64_t idle_ns = clock.idle_ns();
  EXPECT_LE(idle_ns, whole.count());
  for (int i = 0; i < kThreads - 1; ++i) clock.BeginIdle();
  std::this_thread::sleep_for(kWait);
  EXPECT_EQ(clock.idle_ns(), idle_ns);
  clock.BeginIdle();
  std::this_thread::sleep_for(kWait);
  EXPECT_GT(clock.idle_ns(), idle_ns);
}

TEST(IdleClockTest, APoolCountsItsWaitsAndNotItsWork) {
  WorkerPool pool(1);
  const SteadyClock::time_point work_ends = SteadyClock::now() + kWait;
  pool.RunBlocks(4, [&](int64_t) {
    while (SteadyClock::now() < work_ends) std::this_thread::yield();
  });
  EXPECT_EQ(pool.idle_ns(), 0);
  std::atomic<bool> done{false};
  std::thread ends([&] {
    std::this_thread::sleep_for(kWait);
    done = true;
    pool.Notify();
  });
  pool.HelpUntil([&] { return done.load(); });
  ends.join();
  EXPECT_GT(pool.idle_ns(), 0);
}

}  // namespace
}  // namespace dfrun
