// Tests of a step's end on emulated GPUs: how the host learns of it, when kernels begin, and how large values come to
// the device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string_view>

#include "src/base/mutex.h"
#include "src/framework/device/device_factory.h"
#include "src/framework/kernel/variable.h"
#include "tests/gpu/gpu_steps.h"
#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/tested_device.h"

namespace dfrun::testing {
namespace {

constexpr int kSteps = 6;

class StepEndTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("DFRUN_DEVICE_PARTS", DFRUN_EMULATED_PARTS, 1);
    MakeDeviceOf("gpu");  // loads the part, with its kernels
  }
  void TearDown() override {
    unsetenv("DFRUN_EMULATED_CARD");
    unsetenv("DFRUN_EMULATED_MISSING_EVENT");
    unsetenv("DFRUN_EMULATED_NO_WAIT");
  }

  CaptureCounters counters() { return CapturingDevice::Of(*device_)->counters(); }

  // (x + 1) * 2, squared.
  RunSignature Chain(int64_t size) {
    const PartialShape shape(Shape({size}));
    const Output x = maker_.Placeholder("x", shape, DType::kFloat);
    const Output more = maker_.Add("more", "AddV2", {x, maker_.Scalar<float>("one", 1)});
    const Output twice = maker_.Add("twice", "Mul", {more, maker_.Scalar<float>("two", 2)});
    RunSignature signature;
    signature.feeds = {x};
    signature.feed_shapes = {shape};
    signature.fetches = {maker_.Add("square", "Square", {twice})};
    return signature;
  }
  static Tensor Fed(int64_t size, int step) {
    Tensor x(DType::kFloat, Shape({size}));
    std::iota(x.data<float>(), x.data<float>() + size, static_cast<float>(step));
    return x;
  }
  static bool IsRight(const Tensor& squares, int step) {
    for (int64_t i = 0; i < squares.num_elements(); ++i) {
      const float twice = (static_cast<float>(step) + static_cast<float>(i) + 1) * 2;
      if (squares.data<float>()[i] != twice * twice) return false;
    }
    return true;
  }
  // Returns how many of the steps give the right values.
  static int RightSteps(GpuSteps& steps, int64_t size) {
    int right = 0;
    for (int step = 1; step <= kSteps; ++step) {
      const auto fetched = steps.Run({Fed(size, step)});
      EXPECT_TRUE(fetched.ok()) << fetched.status().ToString();
      right += fetched.ok() && IsRight((*fetched)[0], step) ? 1 : 0;
    }
    return right;
  }

  const std::unique_ptr<Device> device_ = MakeDeviceOf("gpu");
  GraphMaker maker_;
};

// The value that the step fetches arrives, and then the step ends.
TEST_F(StepEndTest, FewBytesTellThatTheyAreThere) {
  GpuSteps steps(*device_, maker_.graph, Chain(8));
  ASSERT_TRUE(steps.Run({Fed(8, 1)}).ok());
  const CaptureCounters before = counters();
  EXPECT_EQ(RightSteps(steps, 8), kSteps);
  EXPECT_EQ(counters().signaled_ends - before.signaled_ends, 2 * kSteps);
  EXPECT_EQ(counters().asked_ends, before.asked_ends);
}

// A block of threads cannot tell when all bytes have arrived.
TEST_F(StepEndTest, ManyBytesDoNot) {
  constexpr int64_t kSize = 5000;
  GpuSteps steps(*device_, maker_.graph, Chain(kSize));
  const CaptureCounters before = counters();
  EXPECT_EQ(RightSteps(steps, kSize), kSteps);
  EXPECT_EQ(counters().signaled_ends, before.signaled_ends);
  EXPECT_EQ(counters().asked_ends - before.asked_ends, kSteps);
}

// A captured subgraph tells its end even if no value leaves it.
TEST_F(StepEndTest, AStepWithoutValuesTellsItsEnd) {
  const AttrMap attrs = {{"dtype", DType::kFloat}, {"shape", PartialShape(Shape({4}))}};
  const Output w = maker_.Add("w", "VariableV2", {}, attrs);
  const Output init = maker_.Add("init", "Assign", {w, maker_.Const("zeros", Tensor::Vector<float>({0, 0, 0, 0}))});
  RunSignature initial;
  initial.targets = {init.node};
  ASSERT_TRUE(GpuSteps(*device_, maker_.graph, initial).Run().ok());
  const Output square = maker_.Add("square", "Square", {maker_.Const("x", Tensor::Vector<float>({1, 2, 3, 4}))});
  RunSignature signature;
  signature.targets = {maker_.Add("update", "AssignAdd", {w, square}).node};
  GpuSteps steps(*device_, maker_.graph, signature);
  ASSERT_TRUE(steps.Run().ok());
  const CaptureCounters before = counters();
  for (int step = 2; step <= kSteps; ++step) ASSERT_TRUE(steps.Run().ok());
  EXPECT_EQ(counters().signaled_ends - before.signaled_ends, kSteps - 1);
  EXPECT_EQ(counters().asked_ends, before.asked_ends);
  EXPECT_EQ(steps.NumberBefore(" pieces of work"), 3) << steps.text();
  const Result<Tensor> value = device_->ToHostMemory(device_->containers().Lookup<Variable>("", "w")->value());
  ASSERT_TRUE(value.ok());
  EXPECT_TRUE(value->Identical(Tensor::Vector<float>({kSteps, 4 * kSteps, 9 * kSteps, 16 * kSteps})));
}

TEST_F(StepEndTest, KernelsBeginEarly) {
  GpuSteps steps(*device_, maker_.graph, Chain(8));
  EXPECT_EQ(RightSteps(steps, 8), kSteps);
  EXPECT_EQ(steps.NumberBefore(" of them early"), 2) << steps.text();
}

TEST_F(StepEndTest, AKernelThatDoesNotWaitIsFound) {
  setenv("DFRUN_EMULATED_NO_WAIT", "1", 1);
  GpuSteps steps(*device_, maker_.graph, Chain(8));
  EXPECT_LT(RightSteps(steps, 8), kSteps);
}

TEST_F(StepEndTest, ADriverMayRefuseThat) {
  setenv("DFRUN_EMULATED_CARD", "no-early-edges", 1);
  GpuSteps steps(*device_, maker_.graph, Chain(8));
  EXPECT_EQ(RightSteps(steps, 8), kSteps);
  EXPECT_EQ(steps.NumberBefore(" of them early"), 0) << steps.text();
}

// Large values arrive in memory that is used in turns, and no more memory is allocated.
TEST_F(StepEndTest, LargeValuesComeBeside) {
  constexpr int64_t kSize = (kMaxBytesInOrder / 4) + 1000;
  GpuSteps steps(*device_, maker_.graph, Chain(kSize));
  EXPECT_EQ(RightSteps(steps, kSize), kSteps);
  const int64_t allocations = device_->allocator().Stats().bytes_reserved;
  EXPECT_EQ(RightSteps(steps, kSize), kSteps);
  EXPECT_EQ(device_->allocator().Stats().bytes_reserved, allocations);
}

// Steps that are in flight together, each with a large value of its own.
class StepsInFlightTest : public StepEndTest {
 protected:
  static constexpr int64_t kSize = (kMaxBytesInOrder / 4) + 1000;
  static constexpr int kInFlight = 4;

  class StepsLeft {
   public:
    Callback callback() {
      return {[](void* arg, Status status) { static_cast<StepsLeft*>(arg)->End(status); }, this};
    }
    void Wait() {
      MutexLock lock(mu_);
      while (left_ > 0) ended_.Wait(mu_);
    }

   private:
    void End(const Status& status) {
      EXPECT_TRUE(status.ok()) << status.ToString();
      MutexLock lock(mu_);
      if (--left_ == 0) ended_.NotifyOne();
    }

    Mutex mu_;
    CondVar ended_;
    int left_ GUARDED_BY(mu_) = kInFlight;
  };

  int RightStepsInFlight(int rounds) {
    const Result<Graph> graph = PruneForRun(maker_.graph, Chain(kSize));
    EXPECT_TRUE(graph.ok()) << graph.status().ToString();
    const auto plan = BuildPlan(*graph, *device_, KernelRegistry::Builtin(), {});
    EXPECT_TRUE(plan.ok()) << plan.status().ToString();
    WorkerPool pool(3);
    int right = 0;
    for (int round = 0; round < rounds; ++round) {
      std::vector<std::vector<Tensor>> feeds;
      std::vector<std::vector<Tensor>> fetches(kInFlight, std::vector<Tensor>(1));
      for (int step = 0; step < kInFlight; ++step) feeds.push_back({Fed(kSize, round + step)});
      StepsLeft left;
      for (int step = 0; step < kInFlight; ++step) {
        StartPlan(**plan, pool, {.feeds = feeds[step], .fetches = fetches[step], .step = {}}, left.callback());
      }
      left.Wait();
      for (int step = 0; step < kInFlight; ++step) right += IsRight(fetches[step][0], round + step) ? 1 : 0;
    }
    return right;
  }
};

TEST_F(StepsInFlightTest, HaveTheirOwnLargeValues) {
  EXPECT_EQ(RightStepsInFlight(kSteps), kSteps * kInFlight);
}

// A copy that does not wait for its memory is found: by wrong values, by the GPU's memory, or by a crash, if a number
// of bytes or an address is read before it is there. When the copies' stream has its turns is a matter of time.
TEST_F(StepsInFlightTest, AMissingEventIsFound) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto look = [&]() noexcept {
    constexpr int kMaxTries = 50;
    setenv("DFRUN_EMULATED_MISSING_EVENT", "1", 1);
    for (int i = 0; i < kMaxTries; ++i) {
      if (RightStepsInFlight(kSteps) == kSteps * kInFlight) continue;
      std::fputs("a value is wrong\n", stderr);
      std::abort();
    }
  };
  // A reader that takes such a value for a number of bytes asks for too many; a crash prints nothing.
  EXPECT_DEATH(
      look(),
      ::testing::AnyOf(::testing::ContainsRegex(
                           "memory was written after it was given back|a value is wrong|bad_alloc|use-after-poison"),
                       ::testing::IsEmpty()));
}

// Memory that is kept for large values is given to others when there is no more.
TEST_F(StepEndTest, MemoryOfLargeValuesIsGivenBack) {
  constexpr int64_t kBytes = 4 * kMaxBytesInOrder;
  DeviceSite site{.task = *DeviceName::Parse("/job:worker/task:0")};
  CapturingDevice& recording = *CapturingDevice::Of(*device_);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(Tensor::Allocate(recording.uploads(), DType::kUint8, Shape({kBytes})).ok());
  }
  const int64_t in_use = device_->allocator().Stats().bytes_in_use;
  EXPECT_GE(in_use, kBytes);
  site.memory_limits["gpu"] = MemoryLimit{.bytes = in_use + kBytes / 2};
  ASSERT_TRUE(FindDevices(site).ok());  // limits the GPU's memory
  EXPECT_TRUE(Tensor::Allocate(device_->allocator(), DType::kUint8, Shape({kBytes})).ok());
  EXPECT_LT(device_->allocator().Stats().bytes_in_use, in_use);
  ASSERT_TRUE(FindDevices({.task = site.task}).ok());
}

}  // namespace
}  // namespace dfrun::testing
