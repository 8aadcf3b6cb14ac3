#include "src/base/printable.h"

#include <gtest/gtest.h>

namespace dfrun {
namespace {

TEST(PrintableTest, OrdinaryTextStays) {
  EXPECT_EQ(PrintableLine(""), "");
  EXPECT_EQ(PrintableLine("m.yaml:3:7: 'Größe' is unknown,  did you mean 'größe'?"),
            "m.yaml:3:7: 'Größe' is unknown,  did you mean 'größe'?");
  EXPECT_EQ(PrintableLine("日本語 ok"), "日本語 ok");
}

TEST(PrintableTest, ControlCharactersAreEscaped) {
  EXPECT_EQ(PrintableLine("a\x1b[2Jb\rc\nd\te\x7f"), "a\\x1b[2Jb\\rc\\nd\\te\\x7f");
  EXPECT_EQ(PrintableLine(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(PrintableLine("\xC2\x9B"
                          "2J"),
            "\\x9b2J");                                                 // CSI as one C1 control character
  EXPECT_EQ(PrintableLine("x\xE2\x80\xAEgnp.exe"), "x\\u202egnp.exe");  // right to left from here on
  EXPECT_EQ(PrintableLine("\xFF\xC3"), "\\xff\\xc3");                   // no UTF-8
  EXPECT_EQ(PrintableLine("a\u00a0b\u200bc\u3000d\ufeff"), "a\\u00a0b\\u200bc\\u3000d\\ufeff");
}

TEST(PrintableTest, WithoutControlsKeepsLinesTabsAndUtf8) {
  const std::string whole = "öl\t日本\u00a0👩\u200d👩\n\n" + std::string(100'000, 'x');
  EXPECT_EQ(WithoutControls(whole), whole);
  EXPECT_EQ(WithoutControls("a\x1b]0;b\x07\r\xC2\x9B\x9B\x7f\u202e"), "a\\x1b]0;b\\x07\\r\\x9b\\x9b\\x7f\\u202e");
  EXPECT_EQ(WithoutControls(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(PrintableTest, TheMiddleOfLongWordsIsLeftOut) {
  const std::string name(100'000, 'x');
  const std::string line = PrintableLine("node '" + name + "' is bad: give it a name");
  EXPECT_LT(line.size(), 700U);
  EXPECT_EQ(line.substr(0, 10), "node 'xxxx");
  EXPECT_NE(line.find("bytes left out"), std::string::npos);
  EXPECT_EQ(line.substr(line.size() - 24), "' is bad: give it a name");
  std::string wide;
  for (int i = 0; i < 1000; ++i) wide += "é";
  const std::string cut = PrintableLine(wide);
  EXPECT_EQ(cut.find("\\x"), std::string::npos) << cut;  // no character is torn
  EXPECT_LT(cut.size(), 600U);
}

TEST(PrintableTest, LongLinesKeepTheirEnds) {
  std::string line = "begin";
  for (int i = 0; i < 20'000; ++i) line += " word";
  const std::string shown = PrintableLine(line + " end");
  EXPECT_LT(shown.size(), 17'000U);
  EXPECT_EQ(shown.substr(0, 5), "begin");
  EXPECT_EQ(shown.substr(shown.size() - 3), "end");
}

TEST(PrintableTest, FurtherLinesAreIndented) {
  EXPECT_EQ(PrintableText("two ops:\nNode 'a'\n  node 'b'\x07"), "two ops:\n  Node 'a'\n  node 'b'\\x07");
}

}  // namespace
}  // namespace dfrun
