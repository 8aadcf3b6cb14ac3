// Asynchronous kernels, failing and not, whose callbacks run in any order on any thread.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>

#include "src/base/mutex.h"
#include "tests/unit/executor/test_nodes.h"

namespace dfrun::testing {
namespace {

// Keeps callbacks until a thread of its own runs them, in random order.
class Shuffler {
 public:
  explicit Shuffler(uint32_t seed) : random_(seed), thread_([this] { Main(); }) {
    SetLater([this](Finish finish) {
      MutexLock lock(mu_);
      kept_.push_back(std::move(finish));
      changed_.NotifyOne();
    });
  }
  ~Shuffler() {
    {
      MutexLock lock(mu_);
      stop_ = true;
      changed_.NotifyOne();
    }
    thread_.join();
    SetLater([](const Finish& finish) { finish(Status()); });
  }
  // Gives each later callback an error with this probability.
  void set_failing(double share) {
    MutexLock lock(mu_);
    failing_ = share;
  }

 private:
  void Main() {
    for (;;) {
      Finish next;
      Status status;
      {
        MutexLock lock(mu_);
        while (kept_.empty() && !stop_) changed_.Wait(mu_);
        if (kept_.empty()) return;
        std::swap(kept_[random_() % kept_.size()], kept_.back());
        next = std::move(kept_.back());
        kept_.pop_back();
        if (std::bernoulli_distribution(failing_)(random_)) status = Error(Code::kUnavailable, "a peer was lost");
      }
      if (random_() % 4 == 0) std::this_thread::yield();
      next(std::move(status));
    }
  }

  Mutex mu_;
  CondVar changed_;
  std::vector<Finish> kept_ GUARDED_BY(mu_);
  double failing_ GUARDED_BY(mu_) = 0;
  bool stop_ GUARDED_BY(mu_) = false;
  std::mt19937 random_;  // used by the constructor, then by the thread only
  std::thread thread_;
};

// Layers of Later and Add nodes: each sum is 2 in its layer's power. With `work_ns`, expensive nodes in between.
TestGraph Layers(int layers, int width, int64_t work_ns = 0) {
  TestGraph graph;
  std::vector<Output> row(width, graph.Feed(0, PartialShape({5})));
  for (int layer = 0; layer < layers; ++layer) {
    std::vector<Output> next;
    for (int i = 0; i < width; ++i) {
      Output later = {graph.Add("Later", {row[i]}), 0};
      if (work_ns > 0 && i % 2 == 0) {
        later = {graph.Add("Work", {later}, {{"ns", work_ns * (i + 1)}, {"expensive", i % 4 == 0}}), 0};
      }
      next.push_back({graph.Add("Add", {later, row[(i + 1) % width]}), 0});
    }
    row = next;
  }
  for (const Output& out : row) graph.Fetch(out);
  return graph;
}

class AsyncTest : public ::testing::TestWithParam<int> {
 protected:
  TestDevice device_;
  WorkerPool pool_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Threads, AsyncTest, ::testing::Values(1, 2, 4));

TEST_P(AsyncTest, CallbacksInAnyOrderGiveTheSameValues) {
  TestGraph graph = Layers(6, 12);
  const auto plan = MakePlan(graph.graph(), device_);
  Shuffler shuffler(7);
  for (int step = 0; step < 50; ++step) {
    std::vector<Tensor> fetches(12);
    const Tensor feed = Filled(5, static_cast<float>(step));
    ASSERT_TRUE(RunPlan(*plan, pool_, {.feeds = {&feed, 1}, .fetches = fetches, .step = {}}).ok());
    for (const Tensor& fetched : fetches) EXPECT_TRUE(fetched.Identical(Filled(5, 64.0F * static_cast<float>(step))));
  }
}

TEST_P(AsyncTest, AnErrorWaitsForAllCallbacks) {
  TestGraph graph = Layers(3, 16, /*work_ns=*/2000);
  const auto plan = MakePlan(graph.graph(), device_);
  Shuffler shuffler(3);
  shuffler.set_failing(0.05);
  int failed = 0;
  int64_t in_use_after_first = 0;
  for (int step = 0; step < 100; ++step) {
    std::vector<Tensor> fetches(16);
    const Tensor feed = Filled(5, 1);
    const Status status = RunPlan(*plan, pool_, {.feeds = {&feed, 1}, .fetches = fetches, .step = {}});
    if (status.ok()) {
      for (const Tensor& fetched : fetches) EXPECT_TRUE(fetched.Identical(Filled(5, 8)));
    } else {
      ++failed;
      EXPECT_EQ(status.code(), Code::kUnavailable);
      EXPECT_NE(status.message().find("(op Later)"), std::string::npos);
    }
    fetches.clear();
    if (step == 0) in_use_after_first = device_.bytes_in_use();
  }
  EXPECT_GT(failed, 0);
  EXPECT_EQ(device_.bytes_in_use(), in_use_after_first);
}

TEST_P(AsyncTest, StepsInFlightDoNotMeet) {
  TestGraph graph = Layers(4, 6, /*work_ns=*/3000);
  const auto plan = MakePlan(graph.graph(), device_);
  Shuffler shuffler(11);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&, caller] {
      for (int step = 0; step < 25; ++step) {
        std::vector<Tensor> fetches(6);
        const Tensor feed = Filled(5, static_cast<float>(caller * 100 + step));
        ASSERT_TRUE(RunPlan(*plan, pool_, {.feeds = {&feed, 1}, .fetches = fetches, .step = {}}).ok());
        for (const Tensor& fetched : fetches) {
          EXPECT_TRUE(fetched.Identical(Filled(5, 16.0F * static_cast<float>(caller * 100 + step))));
        }
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST_P(AsyncTest, StartedStepsEndWhileSomebodyHelps) {
  TestGraph graph = Layers(3, 4);
  const auto plan = MakePlan(graph.graph(), device_);
  Shuffler shuffler(5);
  constexpr int kSteps = 20;
  struct Ended {
    WorkerPool* pool;
    std::atomic<int> steps{0};
  } ended{&pool_};
  const Tensor feed = Filled(5, 1);
  std::vector<std::vector<Tensor>> fetches(kSteps, std::vector<Tensor>(4));
  const auto end = [](void* arg, Status status) {
    EXPECT_TRUE(status.ok());
    auto* counted = static_cast<Ended*>(arg);
    WorkerPool& pool = *counted->pool;
    counted->steps.fetch_add(1);  // the test may return from here on
    pool.Notify();
  };
  for (auto& fetched : fetches) {
    StartPlan(*plan, pool_, {.feeds = {&feed, 1}, .fetches = fetched, .step = {}}, {end, &ended});
  }
  pool_.HelpUntil([&] { return ended.steps.load() == kSteps; });
  for (const auto& fetched : fetches) EXPECT_TRUE(fetched[3].Identical(Filled(5, 8)));
}

// A rendezvous that remembers its abort.
class AbortRecorder final : public Rendezvous {
 public:
  void Send(const ChannelKey&, const Tensor&, bool, Callback done) override { done(Internal("not used")); }
  void Recv(const ChannelKey&, Allocator&, Tensor*, bool*, Callback done) override { done(Internal("not used")); }
  void Abort(const Status& status) override { aborted = status; }
  Status aborted;
};

TEST_P(AsyncTest, AFailureAbortsTheRendezvous) {
  TestGraph graph;
  graph.Fetch({graph.Add("Fail", {graph.Fixed(Filled(1, 1))}), 0});
  const auto plan = MakePlan(graph.graph(), device_);
  AbortRecorder rendezvous;
  std::vector<Tensor> fetches(1);
  const Status status =
      RunPlan(*plan, pool_, {.feeds = {}, .fetches = fetches, .step = {.step_id = 1, .rendezvous = &rendezvous}});
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_EQ(rendezvous.aborted, status);
}

// Communication that only polling drives.
TEST_P(AsyncTest, ThreadsWithoutWorkPoll) {
  TestGraph graph = Layers(5, 3);
  const auto plan = MakePlan(graph.graph(), device_);
  Mutex mu;
  std::vector<Finish> kept;
  SetLater([&](Finish finish) {
    MutexLock lock(mu);
    kept.push_back(std::move(finish));
  });
  pool_.SetPollHook([&] {
    Finish next;
    {
      MutexLock lock(mu);
      if (kept.empty()) return false;
      next = std::move(kept.back());
      kept.pop_back();
    }
    next(Status());
    return true;
  });
  for (int step = 0; step < 20; ++step) {
    std::vector<Tensor> fetches(3);
    const Tensor feed = Filled(5, 1);
    ASSERT_TRUE(RunPlan(*plan, pool_, {.feeds = {&feed, 1}, .fetches = fetches, .step = {}}).ok());
    EXPECT_TRUE(fetches[0].Identical(Filled(5, 32)));
  }
  pool_.SetPollHook(nullptr);
  SetLater([](const Finish& finish) { finish(Status()); });
}

}  // namespace
}  // namespace dfrun::testing
