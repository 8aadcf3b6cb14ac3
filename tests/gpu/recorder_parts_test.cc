// Tests of the parts of graph capture: edges, uses of memory, and the layout of the memory.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "kernels/device/cuda/memory/memory_hazards.h"
#include "kernels/device/cuda/memory/subgraph_arena.h"
#include "kernels/device/cuda/runtime/graph_edges.h"

namespace dfrun::cuda {
namespace {

std::vector<std::set<int>> AncestorsOf(const WorkEdges& edges) {
  std::vector<std::set<int>> all(edges.size());
  for (size_t i = 0; i < edges.size(); ++i) {
    for (const int before : edges[i]) {
      all[i].insert(before);
      all[i].insert(all[before].begin(), all[before].end());
    }
  }
  return all;
}

TEST(ReduceEdgesTest, NoEdgeIsLeftThatOthersImply) {
  std::minstd_rand random(3);
  for (int round = 0; round < 50; ++round) {
    WorkEdges edges(90);
    for (size_t i = 1; i < edges.size(); ++i) {
      for (int k = static_cast<int>(random() % 6); k > 0; --k) edges[i].push_back(static_cast<int>(random() % i));
    }
    const auto ancestors = AncestorsOf(edges);
    ReduceEdges(edges);
    EXPECT_EQ(AncestorsOf(edges), ancestors);
    for (size_t i = 0; i < edges.size(); ++i) {
      for (const int before : edges[i]) {
        for (const int other : edges[i]) EXPECT_FALSE(ancestors[other].contains(before)) << i;
      }
    }
  }
}

TEST(ReduceEdgesTest, CountsWhatIsLeft) {
  WorkEdges edges = {{}, {0}, {0, 1, 1}, {0, 1, 2}};
  EXPECT_EQ(CountEdges(edges), 7);
  ReduceEdges(edges);
  EXPECT_EQ(CountEdges(edges), 3);
}

class MemoryHazardsTest : public ::testing::Test {
 protected:
  std::set<int> Read(size_t begin, size_t bytes, int work) {
    std::vector<int> before;
    hazards_.Read({memory_ + begin, bytes}, work, before);
    return {before.begin(), before.end()};
  }
  std::set<int> Write(size_t begin, size_t bytes, int work) {
    std::vector<int> before;
    hazards_.Write({memory_ + begin, bytes}, work, before);
    return {before.begin(), before.end()};
  }

  char memory_[1024];
  MemoryHazards hazards_;
};

TEST_F(MemoryHazardsTest, ReadersWaitForWritersAndWritersForBoth) {
  EXPECT_EQ(Write(0, 100, 0), std::set<int>());
  EXPECT_EQ(Read(0, 100, 1), std::set<int>({0}));
  EXPECT_EQ(Read(50, 10, 2), std::set<int>({0}));
  EXPECT_EQ(Write(0, 100, 3), std::set<int>({0, 1, 2}));
  EXPECT_EQ(Read(99, 1, 4), std::set<int>({3}));
}

TEST_F(MemoryHazardsTest, PartsOfBlocksCount) {
  EXPECT_EQ(Write(0, 64, 0), std::set<int>());
  EXPECT_EQ(Write(128, 64, 1), std::set<int>());
  EXPECT_EQ(Read(32, 128, 2), std::set<int>({0, 1}));  // reads over a gap
  EXPECT_EQ(Write(64, 64, 3), std::set<int>({2}));     // writes to the gap
  EXPECT_EQ(Write(0, 32, 4), std::set<int>({0}));      // writes where 2 did not read
  EXPECT_EQ(Write(16, 256, 5), std::set<int>({0, 1, 2, 3, 4}));
  EXPECT_EQ(Read(0, 8, 6), std::set<int>({4}));
  EXPECT_EQ(Read(300, 8, 7), std::set<int>());
  EXPECT_EQ(Read(271, 8, 8), std::set<int>({5}));
}

class HostBlocks final : public Allocator {
 public:
  std::string_view name() const override { return "blocks"; }
  void* Allocate(size_t bytes) override {
    bytes_.push_back(bytes);
    return bytes > most_ ? nullptr : ::operator new(bytes);
  }
  void Free(void* memory, size_t) override { ::operator delete(memory); }
  AllocatorStats Stats() const override { return {}; }
  void ResetPeak() override {}

  size_t most_ = size_t{1} << 30;
  std::vector<size_t> bytes_;
};

TEST(SubgraphArenaTest, LittleMemoryIsNotUsedTwice) {
  HostBlocks blocks;
  SubgraphArena arena(blocks);
  std::set<void*> places;
  for (int round = 0; round < 2; ++round) {
    places.clear();
    for (int i = 0; i < 10; ++i) {
      void* const memory = arena.Allocate(100);
      EXPECT_TRUE(places.insert(memory).second || round == 0);
      arena.Free(memory, 100);
    }
    if (round == 0) {
      ASSERT_TRUE(arena.TakeBlock());
    }
  }
  EXPECT_EQ(places.size(), 10);
  EXPECT_EQ(blocks.bytes_, std::vector<size_t>({10 * SubgraphArena::kAlignment}));
  EXPECT_EQ(arena.Allocate(1), nullptr) << "the block is used up";
}

// The arena takes no more memory than is live at a time.
TEST(SubgraphArenaTest, MuchMemoryIsUsedAgain) {
  HostBlocks blocks;
  SubgraphArena arena(blocks);
  constexpr size_t kBytes = size_t{10} << 20;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 10; ++i) {
      void* const first = arena.Allocate(kBytes);
      void* const second = arena.Allocate(kBytes);
      ASSERT_NE(second, nullptr);
      EXPECT_NE(first, second);
      arena.Free(first, kBytes);
      arena.Free(second, kBytes);
    }
    if (round == 0) {
      ASSERT_TRUE(arena.TakeBlock());
    }
  }
  EXPECT_EQ(arena.block_bytes(), 2 * kBytes);
  EXPECT_EQ(arena.TakeGiven().size(), 20);
}

TEST(SubgraphArenaTest, NoMemoryIsSaid) {
  HostBlocks blocks;
  blocks.most_ = 10;
  SubgraphArena arena(blocks);
  arena.Free(arena.Allocate(100), 100);
  EXPECT_FALSE(arena.TakeBlock());
}

}  // namespace
}  // namespace dfrun::cuda
