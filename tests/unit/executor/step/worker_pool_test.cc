#include "src/executor/step/worker_pool.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <set>
#include <thread>

namespace dfrun {
namespace {

TEST(WorkerPoolTest, EveryBlockRunsOnce) {
  for (int threads : {1, 2, 4}) {
    WorkerPool pool(threads);
    for (int64_t blocks : {0, 1, 2, 3, 64, 1000}) {
      std::vector<std::atomic<int>> runs(blocks);
      pool.RunBlocks(blocks, [&](int64_t i) { ++runs[i]; });
      for (const auto& count : runs) EXPECT_EQ(count.load(), 1);
    }
  }
}

TEST(WorkerPoolTest, AThreadBeginsWithTheSamePartInEveryCall) {
  constexpr int kThreads = 3;
  WorkerPool pool(kThreads);
  std::array<std::thread::id, kThreads> owners;
  for (int round = 0; round < 20; ++round) {
    std::array<std::thread::id, kThreads> ran;
    std::atomic<int> begun{0};
    pool.RunBlocks(kThreads, [&](int64_t i) {
      ran[i] = std::this_thread::get_id();
      ++begun;
      while (begun < kThreads) std::this_thread::yield();  // ensures that every thread runs one block
    });
    if (round == 0) owners = ran;
    EXPECT_EQ(ran, owners);
    EXPECT_EQ(ran[0], std::this_thread::get_id());
  }
}

TEST(WorkerPoolTest, BlocksNest) {
  WorkerPool pool(4);
  std::atomic<int64_t> sum{0};
  pool.RunBlocks(8, [&](int64_t i) {
    pool.RunBlocks(8, [&](int64_t j) { pool.RunBlocks(4, [&](int64_t k) { sum += i * 100 + j * 10 + k; }); });
  });
  EXPECT_EQ(sum.load(), 4 * 8 * 100 * 28 + 4 * 8 * 10 * 28 + 8 * 8 * 6);
}

TEST(WorkerPoolTest, BlocksOfSeveralCallersDoNotMeet) {
  WorkerPool pool(3);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 100; ++round) {
        std::atomic<int> runs{0};
        pool.RunBlocks(7, [&](int64_t) { ++runs; });
        ASSERT_EQ(runs.load(), 7);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST(WorkerPoolTest, ParallelForSplitsByTheBlockAlone) {
  for (int threads : {1, 4}) {
    WorkerPool pool(threads);
    std::atomic<int64_t> covered{0};
    pool.ParallelFor(1000, 300, [&](int64_t begin, int64_t end) {
      EXPECT_EQ(begin % 300, 0);
      EXPECT_EQ(end, std::min<int64_t>(begin + 300, 1000));
      covered += end - begin;
    });
    EXPECT_EQ(covered.load(), 1000);
  }
}

TEST(WorkerPoolTest, ParallelForEvenlyGivesThreadsAsMany) {
  for (int threads : {1, 2, 3, 4}) {
    WorkerPool pool(threads);
    for (int64_t total : {0, 1, 100, 300, 301, 700, 899, 1000, 2500, 100'000}) {
      std::atomic<int64_t> covered{0};
      std::atomic<int> blocks{0};
      pool.ParallelForEvenly(total, 100, 8, [&](int64_t begin, int64_t end) {
        EXPECT_TRUE(begin % 100 == 0 || begin % 8 == 0) << begin;
        EXPECT_LT(begin, end);
        covered += end - begin;
        ++blocks;
      });
      EXPECT_EQ(covered.load(), total);
      EXPECT_TRUE(total != 700 || blocks % threads == 0) << threads << " threads";
    }
  }
}

TEST(WorkerPoolTest, ParallelForEvenlyHasNoShortBlock) {
  WorkerPool pool(2);
  std::atomic<int64_t> short_blocks{0};
  pool.ParallelForEvenly(350, 100, 8, [&](int64_t begin, int64_t end) { short_blocks += end - begin < 80; });
  EXPECT_EQ(short_blocks.load(), 0);
}

struct Counted : Work {
  WorkerPool* pool = nullptr;
  std::atomic<int>* count = nullptr;
  static void Run(Work* work) {
    auto& self = *static_cast<Counted*>(work);
    WorkerPool& pool = *self.pool;
    ++*self.count;
    pool.Notify();
  }
};

TEST(WorkerPoolTest, SubmittedWorkRunsWithoutAHelperWhereThereAreWorkers) {
  WorkerPool pool(2);
  std::atomic<int> count{0};
  std::vector<Counted> work(1000);
  for (Counted& w : work) {
    w.run = &Counted::Run;
    w.count = &count;
    w.pool = &pool;
    pool.Submit(&w);
  }
  while (count.load() < 1000) std::this_thread::yield();
  EXPECT_EQ(count.load(), 1000);
}

TEST(WorkerPoolTest, APoolOfOneThreadRunsWorkOnItsHelperOnly) {
  WorkerPool pool(1);
  std::set<std::thread::id> threads;
  struct Recorded : Work {
    std::set<std::thread::id>* threads = nullptr;
    static void Run(Work* self) { static_cast<Recorded*>(self)->threads->insert(std::this_thread::get_id()); }
  };
  std::vector<Recorded> work(10);
  for (Recorded& w : work) {
    w.run = &Recorded::Run;
    w.threads = &threads;
    pool.Submit(&w);
  }
  EXPECT_TRUE(threads.empty());
  int asked = 0;
  pool.HelpUntil([&] { return ++asked > 10; });
  EXPECT_EQ(threads, std::set<std::thread::id>{std::this_thread::get_id()});
}

// Long pauses between pieces of work, so that everybody falls asleep in between.
TEST(WorkerPoolTest, SleepersAreWoken) {
  for (int threads : {1, 2}) {
    WorkerPool pool(threads);
    std::atomic<int> count{0};
    std::vector<Counted> work(20);
    std::thread submitter([&] {
      for (Counted& w : work) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        w.run = &Counted::Run;
        w.count = &count;
        w.pool = &pool;
        pool.Submit(&w);
      }
    });
    pool.HelpUntil([&] { return count.load() == 20; });
    submitter.join();
    EXPECT_EQ(count.load(), 20);
  }
}

TEST(WorkerPoolTest, AThreadIsReadyWhileItLooksForWork) {
  EXPECT_EQ(WorkerPool(1).ready_threads(), 1);
  WorkerPool pool(2);
  std::atomic<int> begun{0};
  std::atomic<int> asked{0};
  std::atomic<int> ready{0};  // counts both threads, from inside their blocks
  pool.RunBlocks(2, [&](int64_t) {
    ++begun;
    while (begun.load() < 2) std::this_thread::yield();
    ready += pool.ready_threads();
    ++asked;
    while (asked.load() < 2) std::this_thread::yield();
  });
  EXPECT_EQ(ready.load(), 2);
  // The worker begins to look for work again after its block.
  while (pool.ready_threads() == 1) pool.RunBlocks(2, [](int64_t) {});
  EXPECT_LE(pool.ready_threads(), 2);
}

TEST(WorkerPoolTest, OneThreadAtATimePolls) {
  WorkerPool pool(4);
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::atomic<int> polls{0};
  pool.SetPollHook([&] {
    most = std::max(most.load(), ++inside);
    ++polls;
    --inside;
    return false;
  });
  pool.HelpUntil([&] { return polls.load() > 1000; });
  EXPECT_EQ(most.load(), 1);
  pool.SetPollHook(nullptr);
  const int after = polls.load();
  EXPECT_FALSE(pool.Poll());
  EXPECT_EQ(polls.load(), after);
}

}  // namespace
}  // namespace dfrun
