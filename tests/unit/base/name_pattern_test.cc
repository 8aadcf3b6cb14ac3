#include "src/base/name_pattern.h"

#include <fnmatch.h>
#include <gtest/gtest.h>

namespace dfrun {
namespace {

using Texts = std::vector<std::string>;

TEST(NamePattern, MatchesWholeNamesAsAShellDoes) {
  // The answers of fnmatch() without flags for every pattern and name of a few characters.
  const std::string letters = "ab/*?[]!-";
  const Texts names = {"", "a", "b", "/", "ab", "ba", "a/b", "a/b/a", "aab", "b-a", "-", "a/a/a/b"};
  size_t matches = 0;
  Texts patterns = {""};
  for (size_t i = 0; i < patterns.size(); ++i) {
    if (patterns[i].size() == 5) break;
    for (const char c : letters) patterns.push_back(patterns[i] + c);
  }
  for (const std::string& text : patterns) {
    const NamePattern pattern(text);
    for (const std::string& name : names) {
      const bool wanted = fnmatch(text.c_str(), name.c_str(), 0) == 0 || text == name;
      ASSERT_EQ(pattern.Matches(name), wanted) << "'" << text << "' and '" << name << "'";
      matches += wanted ? 1 : 0;
    }
  }
  EXPECT_GT(matches, 1000);
}

TEST(NamePattern, TakesOddTextsAsTheyAre) {
  EXPECT_TRUE(NamePattern("layer[0]/W").Matches("layer[0]/W"));
  EXPECT_TRUE(NamePattern("layer[0]/W").Matches("layer0/W"));
  EXPECT_TRUE(NamePattern("a\\*").Matches("a*"));
  EXPECT_FALSE(NamePattern("a\\*").Matches("ab"));
  EXPECT_TRUE(NamePattern("a\\b").Matches("a\\b"));
  EXPECT_TRUE(NamePattern("a[").Matches("a["));
  EXPECT_TRUE(NamePattern("[!\xc3]*").Matches("abc"));
}

TEST(NamePattern, GivesWhatStarsStandFor) {
  EXPECT_EQ(NamePattern("enc/*/W").Captures("enc/h1/x/W"), Texts({"h1/x"}));
  EXPECT_EQ(NamePattern("*/*").Captures("a/b/c"), Texts({"a", "b/c"}));
  EXPECT_EQ(NamePattern("*").Captures(""), Texts({""}));
  EXPECT_EQ(NamePattern("a").Captures("a"), Texts());
  EXPECT_EQ(NamePattern("a*").Captures("b"), std::nullopt);
  EXPECT_EQ(NamePattern("net/*/W_*").Fill({"h1", "2"}), "net/h1/W_2");
  EXPECT_EQ(NamePattern("a\\*b").Fill({}), "a*b");
}

TEST(NamePattern, TakesLittleTimeForManyStars) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "*a";
  EXPECT_FALSE(NamePattern(text + "b").Matches(std::string(5000, 'a')));
  EXPECT_TRUE(NamePattern(text).Matches(std::string(5000, 'a')));
}

TEST(NamePattern, FindsTheNearestNames) {
  EXPECT_EQ(NamePattern("h1/w").DistanceTo("h1/W"), 1U);
  EXPECT_EQ(NamePattern("h2/*").DistanceTo("h1/W"), 1U);
  EXPECT_EQ(NamePattern("*").DistanceTo("anything"), 0U);
  EXPECT_EQ(NamePattern("").DistanceTo("abc"), 3U);
  const Texts names = {"top", "h1/b", "h1/W", "h10/W"};
  EXPECT_EQ(NearestNames(NamePattern("h1/w"), names), Texts({"h1/b", "h1/W", "h10/W"}));
  EXPECT_EQ(NearestNames(NamePattern("h2/*"), names, 1), Texts({"h1/b"}));
  EXPECT_TRUE(NearestNames(NamePattern("x"), {}).empty());
}

}  // namespace
}  // namespace dfrun
