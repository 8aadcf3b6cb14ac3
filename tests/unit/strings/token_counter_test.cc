#include "kernels/strings/token_counter.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace dfrun {
namespace {

using Counts = std::map<std::string, int64_t>;

Counts Count(std::string_view text, std::string_view letters = "A-Za-z") {
  const Result<Letters> set = Letters::Parse(letters);
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

TEST(TokenCounter, TheEmptyTextIsNoToken) {
  EXPECT_EQ(Count("  a"), (Counts{{"a", 1}}));
  EXPECT_EQ(Count("..."), Counts());
  EXPECT_EQ(Count("..a..b", "unicode"), (Counts{{"a", 1}, {"b", 1}}));
}

TEST(TokenCounter, LettersOfUnicode) {
  // German, decomposed French (e with a combining acute), Russian, Chinese, a Gothic letter of four bytes.
  EXPECT_EQ(Count("Stra\xc3\x9f"
                  "e, e\xcc\x81t\xc3\xa9! \xd0\xb4\xd0\xb0 3 \xe5\xad\x97\xe3\x80\x82 \xf0\x90\x8c\xb0",
                  "unicode"),
            (Counts{{"Stra\xc3\x9f"
                     "e",
                     1},
                    {"e\xcc\x81t\xc3\xa9", 1},
                    {"\xd0\xb4\xd0\xb0", 1},
                    {"\xe5\xad\x97", 1},
                    {"\xf0\x90\x8c\xb0", 1}}));
  // Bytes of no character, and a character cut short, end a token.
  EXPECT_EQ(Count("a\xff"
                  "b\x80"
                  "c\xc3",
                  "unicode"),
            (Counts{{"a", 1}, {"b", 1}, {"c", 1}}));
  EXPECT_EQ(Count("x_1 \xc2\xb5m \xe2\x82\xac"
                  "5",
                  "unicode"),
            (Counts{{"x", 1}, {"\xc2\xb5m", 1}}));
}

TEST(TokenCounter, LettersAreBytesInRangesAndAlone) {
  EXPECT_EQ(Count("x_1-2 y", "a-z0-9_-"), (Counts{{"x_1-2", 1}, {"y", 1}}));
  EXPECT_EQ(Count("\xc3\xa9t\xc3\xa9"), (Counts{{"t", 1}}));
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
