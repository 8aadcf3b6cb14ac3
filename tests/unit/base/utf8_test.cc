#include "src/base/utf8.h"

#include <gtest/gtest.h>

namespace dfrun {
namespace {

TEST(Utf8Test, CharactersHaveOneToFourBytes) {
  for (const std::string_view text : {"a", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x99\x82", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(Utf8Length(text), text.size()) << text;
    EXPECT_EQ(Utf8Length(std::string(text) + "a"), text.size()) << text;
    EXPECT_TRUE(IsWellFormedUtf8(text)) << text;
  }
  EXPECT_EQ(Utf8Length(std::string_view("\0", 1)), 1U);
}

TEST(Utf8Test, WhatIsCutSurrogatesAndLongFormsAreMalformed) {
  for (const std::string_view text : {"\x80", "\xc3", "\xc3(", "\xe2\x82", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
                                      "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"}) {
    EXPECT_EQ(Utf8Length(text), 0U) << text;
    EXPECT_FALSE(IsWellFormedUtf8(text)) << text;
  }
  EXPECT_EQ(Utf8Length(""), 0U);
  EXPECT_TRUE(IsWellFormedUtf8(""));
}

TEST(Utf8Test, MalformedBytesAreReplaced) {
  EXPECT_EQ(WellFormedUtf8("caf\xe9 \xc3\xa4"), "caf\xef\xbf\xbd \xc3\xa4");
  EXPECT_EQ(WellFormedUtf8("\xe2\x82"), "\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(WellFormedUtf8(""), "");
}

}  // namespace
}  // namespace dfrun
