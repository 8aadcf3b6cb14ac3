#include "kernels/strings/token_counter.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace dfrun {
namespace {

using Counts = std::map<std::string, int64_t>;

Counts Count(std::string_view text, std::string_view letters = "A-Za-z") {
  const Result<ByteSet> set = ByteSet::Parse(letters);
  EXPECT_TRUE(set.ok()) << set.status().ToString();
  TokenCounter counter(*set);
  counter.Add(text);
  Counts counts;
  for (const TokenCounter::Token& token : counter.tokens()) counts[std::string(token.text)] = token.count;
  return counts;
}

TEST(TokenCounter, ATokenIsARunOfLetters) {
  EXPECT_EQ(Count("a cat, a dog"), (Counts{{"a", 2}, {"cat", 1}, {"dog", 1}}));
  EXPECT_EQ(Count("a cat.\n"), (Counts{{"a", 1}, {"cat", 1}}));
  EXPECT_EQ(Count(""), Counts());
}

TEST(TokenCounter, OtherBytesAtTheBeginningEndAnEmptyToken) {
  EXPECT_EQ(Count("  a"), (Counts{{"", 1}, {"a", 1}}));
  EXPECT_EQ(Count("..."), (Counts{{"", 1}}));
}

TEST(TokenCounter, LettersAreBytesInRangesAndAlone) {
  EXPECT_EQ(Count("x_1-2 y", "a-z0-9_-"), (Counts{{"x_1-2", 1}, {"y", 1}}));
  EXPECT_EQ(Count("\xc3\xa9t\xc3\xa9"), (Counts{{"", 1}, {"t", 1}}));
  EXPECT_FALSE(ByteSet::Parse("z-a").ok());
  EXPECT_FALSE(ByteSet::Parse("").ok());
}

TEST(TokenCounter, ManyDifferentTokensAreToldApart) {
  std::mt19937 random(7);
  Counts expected;
  std::string text;
  for (int i = 0; i < 100'000; ++i) {
    std::string word;
    for (uint32_t value = random() % 20'000 + 1; value > 0; value /= 26) word += static_cast<char>('a' + value % 26);
    ++expected[word];
    text += word + " ";
  }
  EXPECT_EQ(Count(text), expected);
}

}  // namespace
}  // namespace dfrun
