#include "src/base/rank_lines.h"

#include <gtest/gtest.h>

#include "src/base/status.h"
#include "src/base/text.h"

namespace dfrun {
namespace {

std::string Folded(const std::vector<RankLine>& lines, size_t least) {
  return Join(FoldRankLines(lines, least), "\n",
              [](const FoldedLine& line) { return StrCat(Join(line.ranks), ": ", line.text); });
}

TEST(RankLinesTest, EqualLinesBecomeOneWhereTheFirstStood) {
  const std::vector<RankLine> lines = {
      {0, "a", "it is dark"}, {1, "a", "it is late"}, {2, "b", "it is dark"}, {3, "b", "it is dark"}};
  EXPECT_EQ(Folded(lines, 2), "0, 2, 3: it is dark\n1: it is late");
  EXPECT_EQ(Folded(lines, 4), "0: it is dark\n1: it is late\n2: it is dark\n3: it is dark");
}

TEST(RankLinesTest, ARanksOwnNameAndHostMakeNoDifference) {
  const std::vector<RankLine> lines = {{1, "node1", "rank 1 has no lamp on node1."},
                                       {10, "node10", "rank 10 has no lamp on node10."},
                                       {2, "node2", "rank 1 has no lamp on node1."}};
  EXPECT_EQ(Folded(lines, 2), "1, 10: this rank has no lamp on this host.\n2: rank 1 has no lamp on node1.");
}

TEST(RankLinesTest, PartsOfLongerNamesStay) {
  const std::vector<RankLine> lines = {{1, "a", "rank 12 is not a-b, a.c nor xa"},
                                       {2, "b", "rank 12 is not a-b, a.c nor xa"}};
  EXPECT_EQ(Folded(lines, 2), "1, 2: rank 12 is not a-b, a.c nor xa");
}

TEST(RankLinesTest, ARankThatSaysSomethingTwiceIsOneRank) {
  const std::vector<RankLine> lines = {{1, "", "x"}, {1, "", "x"}};
  EXPECT_EQ(Folded(lines, 2), "1: x\n1: x");
  EXPECT_EQ(ManyRanksSay({{1, 2, 3}, "x"}, 8), "3 of 8 ranks say: x");
}

}  // namespace
}  // namespace dfrun
