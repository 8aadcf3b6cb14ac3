#include "kernels/device/cpu_allocator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <random>
#include <thread>
#include <vector>

#include "kernels/device/cpu_device.h"
#include "kernels/device/size_classes.h"
#include "src/base/mutex.h"
#include "src/framework/values/tensor.h"

namespace dfrun {
namespace {

constexpr int64_t kThreadPortion = 16 << 10;  // bytes per thread by which statistics may lag

TEST(SizeClasses, HoldWhatTheyAreAskedFor) {
  for (size_t bytes = 1; bytes < (size_t{4} << 20); bytes += 1 + bytes / 300) {
    const size_t c = pool::SizeClass(bytes);
    ASSERT_LT(c, pool::kClasses) << bytes;
    ASSERT_GE(pool::kClassBytes[c], bytes);
    ASSERT_EQ(pool::kClassBytes[c] % 64, 0U);
    ASSERT_TRUE(c == 0 || pool::ComputeClassBytes(c - 1) < pool::kClassBytes[c]);
    // A quarter of a doubling and the stagger.
    ASSERT_TRUE(bytes <= 4096 || pool::kClassBytes[c] * 100 <= bytes * 134) << bytes;
  }
  EXPECT_GE(pool::SizeClass((size_t{4} << 20) + 65), pool::kClasses);
}

struct Block {
  unsigned char* memory;
  size_t bytes;
  unsigned char mark;
};

Block TakeMarked(Allocator& allocator, size_t bytes, unsigned char mark) {
  auto* memory = static_cast<unsigned char*>(allocator.Allocate(bytes));
  EXPECT_NE(memory, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % Allocator::kAlignment, 0U);
  std::memset(memory, mark, bytes);
  return {memory, bytes, mark};
}

void CheckAndFree(Allocator& allocator, const Block& b) {
  for (size_t i = 0; i<b.bytes; i += b.bytes> 5000 ? 997 : 1) ASSERT_EQ(b.memory[i], b.mark) << "overlap at " << i;
  allocator.Free(b.memory, b.bytes);
}

TEST(CpuAllocator, BlocksDoNotOverlap) {
  CpuAllocator allocator;
  std::mt19937 random(1);
  std::deque<Block> live;
  for (int i = 0; i < 4000; ++i) {
    const size_t bytes = size_t{1} << (random() % 23);
    live.push_back(TakeMarked(allocator, 1 + random() % bytes, static_cast<unsigned char>(i)));
    if (live.size() > 60) {
      std::swap(live.front(), live[random() % live.size()]);
      CheckAndFree(allocator, live.front());
      live.pop_front();
    }
  }
  for (const Block& b : live) CheckAndFree(allocator, b);
  EXPECT_LE(std::abs(allocator.Stats().bytes_in_use), kThreadPortion);
}

TEST(CpuAllocator, CountsBytesAndPeak) {
  CpuAllocator allocator;
  void* a = allocator.Allocate(10 << 20);
  void* b = allocator.Allocate(20 << 20);
  allocator.Free(a, 10 << 20);
  EXPECT_EQ(allocator.Stats().bytes_in_use, 20 << 20);
  EXPECT_EQ(allocator.Stats().peak_bytes_in_use, 30 << 20);
  EXPECT_EQ(allocator.Stats().allocations, 2);
  allocator.ResetPeak();
  EXPECT_EQ(allocator.Stats().peak_bytes_in_use, 20 << 20);
  allocator.Free(b, 20 << 20);
}

TEST(CpuAllocator, RefusesWhatNoMachineHas) {
  CpuAllocator allocator;
  EXPECT_EQ(allocator.Allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(allocator.Allocate(SIZE_MAX - 4096), nullptr);
  Result<Tensor> tensor = Tensor::Allocate(allocator, DType::kDouble, Shape({int64_t{1} << 50}));
  ASSERT_FALSE(tensor.ok());
  EXPECT_EQ(tensor.status().code(), Code::kResourceExhausted);
}

TEST(CpuAllocator, GivesNoMoreThanItsLimit) {
  CpuAllocator allocator(30 << 20);
  EXPECT_EQ(allocator.limit_bytes(), 30 << 20);
  EXPECT_EQ(allocator.Allocate((30 << 20) + 1), nullptr);
  EXPECT_EQ(allocator.Stats().peak_bytes_in_use, 0) << "what was refused was not in use";
  void* const a = allocator.Allocate(10 << 20);
  void* const b = allocator.Allocate(20 << 20);
  ASSERT_NE(a, nullptr);
  ASSERT_NE(b, nullptr) << "the limit itself may be used";
  EXPECT_EQ(allocator.Allocate(1 << 20), nullptr);
  EXPECT_EQ(allocator.Allocate(1), nullptr);
  allocator.Free(a, 10 << 20);
  void* const c = allocator.Allocate(9 << 20);
  EXPECT_NE(c, nullptr) << "what is free again may be used again";
  EXPECT_EQ(allocator.Allocate(SIZE_MAX), nullptr);
  allocator.Free(b, 20 << 20);
  allocator.Free(c, 9 << 20);
  EXPECT_EQ(allocator.Stats().bytes_in_use, 0);
}

TEST(CpuAllocator, GivesNoMoreSmallBlocksThanItsLimit) {
  constexpr size_t kBytes = 1024;
  CpuAllocator allocator(8 << 20);
  std::vector<void*> blocks;
  while (void* const block = allocator.Allocate(kBytes)) blocks.push_back(block);
  const auto taken = static_cast<int64_t>(blocks.size() * kBytes);
  EXPECT_GE(taken, (8 << 20) - kThreadPortion);
  EXPECT_LE(taken, (8 << 20) + kThreadPortion);
  for (void* const block : blocks) allocator.Free(block, kBytes);
}

TEST(CpuAllocator, ThreadsTogetherGetNoMoreThanTheLimit) {
  constexpr size_t kBytes = size_t{1} << 20;
  CpuAllocator allocator(16 * kBytes);
  Mutex mu;
  std::vector<void*> taken;
  const auto take = [&] {
    for (int i = 0; i < 10; ++i) {
      void* const block = allocator.Allocate(kBytes);
      MutexLock lock(mu);
      if (block != nullptr) taken.push_back(block);
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back(take);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken.size(), 16U);
  EXPECT_EQ(allocator.Stats().peak_bytes_in_use, static_cast<int64_t>(16 * kBytes));
  for (void* const block : taken) allocator.Free(block, kBytes);
}

#if !defined(__SANITIZE_ADDRESS__)  // there, blocks come from the sanitizer's heap
TEST(CpuAllocator, ReusesLargeBlocksUpToTheBound) {
  CpuAllocator allocator;
  constexpr size_t kBytes = size_t{96} << 20;
  for (int i = 0; i < 20; ++i) allocator.Free(allocator.Allocate(kBytes), kBytes);
  EXPECT_LT(allocator.Stats().bytes_reserved, int64_t{120} << 20);
  for (size_t i = 1; i < 40; ++i) allocator.Free(allocator.Allocate(i << 23), i << 23);  // sizes all differ
  const AllocatorStats stats = allocator.Stats();
  EXPECT_LE(stats.bytes_reserved, std::max(int64_t{256} << 20, stats.peak_bytes_in_use));
}

TEST(CpuAllocator, KeepsNoFreeBlocksBeyondItsLimit) {
  CpuAllocator allocator(100 << 20);
  for (size_t i = 1; i < 12; ++i) allocator.Free(allocator.Allocate(i << 23), i << 23);
  EXPECT_LE(allocator.Stats().bytes_reserved, 100 << 20);
}

TEST(CpuAllocator, NeighboursStartAtDifferentOffsetsOfAPage) {
  CpuAllocator allocator;
  for (size_t data : {4096, 65536, 1 << 20, 8 << 20}) {
    void* a = allocator.Allocate(data + 64);
    void* b = allocator.Allocate(data + 64);
    EXPECT_NE(reinterpret_cast<uintptr_t>(a) % 4096, reinterpret_cast<uintptr_t>(b) % 4096) << data;
    allocator.Free(a, data + 64);
    allocator.Free(b, data + 64);
  }
}
#endif

// Blocks travel from makers to takers, so that every free is another thread's.
TEST(CpuAllocator, FreesFromAnotherThread) {
  CpuAllocator allocator;
  Mutex mu;
  std::vector<Block> handed;
  int makers_left = 2;
  auto make = [&](unsigned seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < 20000; ++i) {
      Block b = TakeMarked(allocator, 1 + random() % 3000, static_cast<unsigned char>(i));
      MutexLock lock(mu);
      handed.push_back(b);
    }
    MutexLock lock(mu);
    --makers_left;
  };
  auto take = [&] {
    for (bool more = true; more;) {
      std::vector<Block> mine;
      {
        MutexLock lock(mu);
        mine.swap(handed);
        more = makers_left > 0 || !mine.empty();
      }
      for (const Block& b : mine) CheckAndFree(allocator, b);
      std::this_thread::yield();
    }
  };
  std::vector<std::thread> threads;
  threads.emplace_back(make, 1);
  threads.emplace_back(make, 2);
  threads.emplace_back(take);
  threads.emplace_back(take);
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(allocator.Stats().bytes_in_use, 0) << "ended threads have published their counts";
  EXPECT_EQ(allocator.Stats().allocations, 40000);
}

TEST(CpuAllocator, ThreadOutlivesAllocatorsItUsed) {
  for (int i = 0; i < 50; ++i) {
    CpuAllocator one;
    CpuAllocator two;
    void* a = one.Allocate(100);
    void* b = two.Allocate(100);
    one.Free(a, 100);
    two.Free(b, 100);
  }
  CpuAllocator last;
  CheckAndFree(last, TakeMarked(last, 100, 7));
}

TEST(CpuDevice, OwnsItsMemoryAndVariables) {
  Result<DeviceName> name = DeviceName::Parse("/job:worker/task:0/device:cpu:0");
  ASSERT_TRUE(name.ok());
  Result<std::unique_ptr<Device>> device = MakeCpuDevice(*name);
  ASSERT_TRUE(device.ok());
  EXPECT_EQ((*device)->full_name(), "/job:worker/task:0/device:cpu:0");
  EXPECT_TRUE(Tensor::Allocate((*device)->allocator(), DType::kFloat, Shape({3, 4})).ok());
  EXPECT_FALSE(MakeCpuDevice(*DeviceName::Parse("/job:worker/task:0/device:gpu:0")).ok());
  EXPECT_FALSE(MakeCpuDevice(*DeviceName::Parse("/device:cpu:0")).ok());
}

}  // namespace
}  // namespace dfrun
