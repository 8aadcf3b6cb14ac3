#include "src/framework/communication/rank_tree.h"

#include <gtest/gtest.h>

#include <bit>

namespace dfrun {
namespace {

TEST(RankTreeTest, ParentsAndChildrenAgreeAndEveryRankIsReached) {
  for (int size = 1; size <= 70; ++size) {
    std::vector<int> times_named(size, 0);
    for (int rank = 0; rank < size; ++rank) {
      for (int child : TreeChildren(rank, size)) {
        ASSERT_LT(child, size);
        EXPECT_EQ(TreeParent(child), rank);
        ++times_named[child];
      }
    }
    EXPECT_EQ(times_named[0], 0);
    for (int rank = 1; rank < size; ++rank) EXPECT_EQ(times_named[rank], 1) << rank << " of " << size;
  }
}

TEST(RankTreeTest, IsAsDeepAsTheLogarithm) {
  for (int rank = 0; rank < 1024; ++rank) {
    int depth = 0;
    for (int r = rank; r > 0; r = TreeParent(r)) ++depth;
    EXPECT_LE(depth, std::bit_width(static_cast<unsigned>(rank)));
  }
  EXPECT_EQ(TreeChildren(0, 8), (std::vector<int>{4, 2, 1}));
}

}  // namespace
}  // namespace dfrun
