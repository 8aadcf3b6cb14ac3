#include "comm/bootstrap/rank_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dfrun::comm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<RankInfo> Alike(int ranks) {
  std::vector<RankInfo> all;
  for (int r = 0; r < ranks; ++r) {
    all.push_back({StrCat("node", r), "b1", 3, 1'000'000'000'000 + r, {{"oneDNN", "2.6"}, {"HDF5", "1.10"}}});
  }
  return all;
}

TEST(RankFactsTest, TravelAsText) {
  const RankInfo info = Alike(1)[0];
  const Result<RankInfo> back = ParseRankInfo(info.Serialize(), 0);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->host, "node0");
  EXPECT_EQ(back->clock_ns, info.clock_ns);
  ASSERT_EQ(back->facts.size(), 2U);
  EXPECT_EQ(back->facts[1].value, "1.10");
}

TEST(RankFactsTest, AnotherVersionsTextIsRefused) {
  for (const char* text : {"", "host\nbuild\n3", "host\nbuild\nx\ny\n"}) {
    const Result<RankInfo> info = ParseRankInfo(text, 4);
    ASSERT_FALSE(info.ok()) << text;
    EXPECT_THAT(info.status().message(), HasSubstr("rank 4 runs another version"));
  }
}

TEST(RankFactsTest, RanksAlikeDoNotDiffer) {
  EXPECT_THAT(FindDifferences(Alike(3)), IsEmpty());
  EXPECT_TRUE(CheckBuilds(Alike(3)).ok());
}

TEST(RankFactsTest, TheDifferingRankAndFieldAreNamed) {
  std::vector<RankInfo> ranks = Alike(4);
  ranks[1].facts[0].value = "3.1";
  ranks[3].facts[0].value = "3.1";
  ranks[2].cpu_isa_level = 2;
  ranks[2].clock_ns -= 2'500'000'000;
  EXPECT_THAT(FindDifferences(ranks),
              ElementsAre("rank 1 on node1 (and 1 more) has oneDNN 3.1, rank 0 on node0 has 2.6",
                          "rank 2 on node2 has a CPU of level 2, rank 0 on node0 has 3",
                          "the clock of rank 2 on node2 is 2.5 s behind that of rank 0 on node0"));
  ranks[3].build = "b2";
  EXPECT_THAT(CheckBuilds(ranks).message(), HasSubstr("rank 3 on node3 runs another build of dfrun (b2)"));
}

}  // namespace
}  // namespace dfrun::comm
