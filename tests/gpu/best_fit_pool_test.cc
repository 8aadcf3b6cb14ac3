// Tests of the pool of a GPU's memory, on host memory.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>
#include <vector>

#include "kernels/device/cuda/memory/best_fit_pool.h"

namespace dfrun::cuda {
namespace {

constexpr size_t kBlock = BestFitPool::kAlignment;

// Chunks that are counted, and given back at the end.
class Chunks {
 public:
  explicit Chunks(size_t most) : most_(most) {}
  ~Chunks() {
    for (void* chunk : chunks_) std::free(chunk);
  }
  std::function<void*(size_t)> taker() {
    return [this](size_t bytes) -> void* {
      if (taken_ + bytes > most_) return nullptr;
      taken_ += bytes;
      chunks_.push_back(std::aligned_alloc(kBlock, bytes));
      return chunks_.back();
    };
  }
  size_t taken() const { return taken_; }

 private:
  const size_t most_;
  size_t taken_ = 0;
  std::vector<void*> chunks_;
};

TEST(BestFitPoolTest, TakesTheSmallestBlockThatHoldsARequest) {
  Chunks chunks(64 * kBlock);
  BestFitPool pool(chunks.taker(), 64 * kBlock, 64 * kBlock);
  void* const large = pool.Allocate(8 * kBlock);
  void* const wall = pool.Allocate(kBlock);
  void* const small = pool.Allocate(2 * kBlock);
  void* const other_wall = pool.Allocate(kBlock);
  pool.Free(large);
  pool.Free(small);
  EXPECT_EQ(pool.Allocate(2 * kBlock - 1), small);
  EXPECT_EQ(pool.Allocate(3 * kBlock), large);
  EXPECT_NE(wall, other_wall);
}

TEST(BestFitPoolTest, JoinsFreeNeighbours) {
  Chunks chunks(8 * kBlock);
  BestFitPool pool(chunks.taker(), 8 * kBlock, 8 * kBlock);
  std::vector<void*> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(pool.Allocate(kBlock));
  EXPECT_EQ(pool.Allocate(1), nullptr) << "there is no second chunk";
  for (const int i : {1, 3, 2, 0, 7, 5, 6, 4}) pool.Free(blocks[static_cast<size_t>(i)]);
  EXPECT_EQ(pool.Allocate(8 * kBlock), blocks[0]);
  EXPECT_EQ(chunks.taken(), 8 * kBlock);
}

TEST(BestFitPoolTest, ChunksGrowAndStay) {
  Chunks chunks(1 << 20);
  BestFitPool pool(chunks.taker(), 4 * kBlock, 16 * kBlock);
  pool.Free(pool.Allocate(kBlock));
  EXPECT_EQ(chunks.taken(), 4 * kBlock);
  void* const more = pool.Allocate(5 * kBlock);
  EXPECT_EQ(chunks.taken(), 12 * kBlock);
  void* const most = pool.Allocate(40 * kBlock);
  EXPECT_EQ(chunks.taken(), 52 * kBlock);
  pool.Free(more);
  pool.Free(most);
  EXPECT_EQ(pool.Stats().bytes_reserved, static_cast<int64_t>(52 * kBlock));
  EXPECT_EQ(pool.Stats().bytes_in_use, 0);
  EXPECT_EQ(pool.Stats().peak_bytes_in_use, static_cast<int64_t>(45 * kBlock));
}

TEST(BestFitPoolTest, TakesWhatIsThereWhereAWholeChunkIsNot) {
  Chunks chunks(10 * kBlock);
  BestFitPool pool(chunks.taker(), 8 * kBlock, 64 * kBlock);
  EXPECT_NE(pool.Allocate(8 * kBlock), nullptr);
  EXPECT_NE(pool.Allocate(2 * kBlock), nullptr);
  EXPECT_EQ(pool.Allocate(1), nullptr);
}

TEST(BestFitPoolTest, BlocksDoNotOverlap) {
  Chunks chunks(1 << 24);
  BestFitPool pool(chunks.taker(), 1 << 16, 1 << 20);
  std::minstd_rand random(7);
  std::map<std::byte*, size_t> live;
  for (int i = 0; i < 20000; ++i) {
    if (!live.empty() && random() % 2 == 0) {
      const auto at = std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
      pool.Free(at->first);
      live.erase(at);
      continue;
    }
    const size_t bytes = 1 + random() % 5000;
    auto* const block = static_cast<std::byte*>(pool.Allocate(bytes));
    ASSERT_NE(block, nullptr);
    const auto [at, is_new] = live.emplace(block, bytes);
    ASSERT_TRUE(is_new);
    if (at != live.begin()) {
      ASSERT_LE(std::prev(at)->first + std::prev(at)->second, block);
    }
    if (std::next(at) != live.end()) {
      ASSERT_LE(block + bytes, std::next(at)->first);
    }
  }
}

TEST(BestFitPoolTest, KeepsToALimit) {
  Chunks chunks(64 * kBlock);
  BestFitPool pool(chunks.taker(), 16 * kBlock, 64 * kBlock);
  pool.SetLimit(10 * kBlock);
  void* const first = pool.Allocate(7 * kBlock);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(chunks.taken(), 10 * kBlock) << "a chunk is no larger than the limit";
  EXPECT_EQ(pool.Allocate(4 * kBlock), nullptr);
  EXPECT_NE(pool.Allocate(3 * kBlock), nullptr);
  EXPECT_EQ(pool.Allocate(1), nullptr);
  pool.Free(first);
  EXPECT_EQ(pool.Allocate(7 * kBlock), first);
}

// Memory that was taken before stays, but what is given out of it is within the limit.
TEST(BestFitPoolTest, ALimitMayBeSetLater) {
  Chunks chunks(64 * kBlock);
  BestFitPool pool(chunks.taker(), 16 * kBlock, 64 * kBlock);
  void* const first = pool.Allocate(2 * kBlock);
  pool.SetLimit(4 * kBlock);
  EXPECT_EQ(pool.Allocate(3 * kBlock), nullptr);
  pool.SetLimit(0);
  EXPECT_NE(pool.Allocate(3 * kBlock), nullptr);
  pool.Free(first);
}

}  // namespace
}  // namespace dfrun::cuda
