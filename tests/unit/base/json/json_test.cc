#include "src/base/json/json.h"

#include <gtest/gtest.h>

namespace dfrun {
namespace {

TEST(JsonStringTest, EscapesWhatJsonCannotHold) {
  EXPECT_EQ(JsonString("loss"), "\"loss\"");
  EXPECT_EQ(JsonString("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(JsonString("\n\t"), R"("\u000a\u0009")");
  EXPECT_EQ(JsonString(std::string_view("\0\x1f", 2)), R"("\u0000\u001f")");
  EXPECT_EQ(JsonString("\xc3\xa4"), "\"\xc3\xa4\"");
  EXPECT_EQ(JsonString("caf\xe9/a"), "\"caf\xef\xbf\xbd/a\"");
}

}  // namespace
}  // namespace dfrun
