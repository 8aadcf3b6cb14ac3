#include "src/base/text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace dfrun {
namespace {

TEST(Join, PutsTextBetweenItems) {
  EXPECT_EQ(Join(std::vector<int>{}), "");
  EXPECT_EQ(Join(std::vector<int>{7}), "7");
  EXPECT_EQ(Join(std::vector<std::string>{"a", "", "c"}), "a, , c");
  EXPECT_EQ(Join(std::vector<int>{1, 2, 3}, " < ", [](int n) { return n * n; }), "1 < 4 < 9");
}

TEST(ParseAs, TakesWholeNumbersOnly) {
  EXPECT_EQ(ParseAs<int>("-42"), -42);
  EXPECT_EQ(ParseAs<int64_t>("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(ParseAs<float>("0.5"), 0.5F);
  for (const char* text : {"", " 1", "1 ", "+1", "1a", "0x1", "9223372036854775808", "-"}) {
    EXPECT_FALSE(ParseAs<int64_t>(text)) << "'" << text << "'";
  }
  EXPECT_FALSE(ParseAs<int>("2147483648"));
}

TEST(IsIdentifier, IsLettersDigitsAndUnderscores) {
  for (const char* text : {"a", "Z", "0", "_", "job_17"}) EXPECT_TRUE(IsIdentifier(text)) << text;
  for (const char* text : {"", "a b", "a-b", "a/b", "é", "*"}) EXPECT_FALSE(IsIdentifier(text)) << text;
}

}  // namespace
}  // namespace dfrun
