#include "src/spec/yaml/yaml_text.h"

#include <gtest/gtest.h>

#include <random>

#include "src/spec/yaml/yaml_tree.h"

namespace dfrun {
namespace {

// Reads the text back from each place.
std::string ReadBack(const std::string& text, YamlPlace place) {
  const std::string written = YamlText(text, place);
  const std::string document = place == YamlPlace::kBlock  ? "a:\n  b: " + written + "  # c: d\nz: 1\n"
                               : place == YamlPlace::kFlow ? "a: [x, " + written + ", y]  # c: d\n"
                                                           : "a:\n  " + written + ": v  # c: d\n";
  Diagnostics diagnostics;
  const std::unique_ptr<YamlDocument> yaml = YamlDocument::Parse(document, diagnostics.AddFile("t"), diagnostics);
  if (!yaml) return "no YAML: " + document + diagnostics.ToStatus().message();
  const Yaml a = yaml->root().value(0);
  if (place == YamlPlace::kFlow) return std::string(a.item(1).is_scalar() && a.size() == 3 ? a.item(1).text() : "?");
  const Yaml read = place == YamlPlace::kKey ? a.key(0) : a.value(0);
  return std::string(read.is_scalar() ? read.text() : "?");
}

void ExpectSame(const std::string& text) {
  for (const YamlPlace place : {YamlPlace::kBlock, YamlPlace::kFlow, YamlPlace::kKey}) {
    EXPECT_EQ(ReadBack(text, place), text) << YamlText(text, place);
  }
}

TEST(YamlText, IsPlainWhereItMayBe) {
  EXPECT_EQ(YamlText("Mean(Square(h - target)) + 0.01 * Sum(W * W)", YamlPlace::kBlock),
            "Mean(Square(h - target)) + 0.01 * Sum(W * W)");
  EXPECT_EQ(YamlText("dense(x, units=${n})", YamlPlace::kBlock), "dense(x, units=${n})");
  EXPECT_EQ(YamlText("dense(x, units=${n})", YamlPlace::kFlow), "\"dense(x, units=${n})\"");
  EXPECT_EQ(YamlText("-1e-05", YamlPlace::kFlow), "-1e-05");
  EXPECT_EQ(YamlText("x:1", YamlPlace::kBlock), "x:1");
  EXPECT_EQ(YamlText("x:1", YamlPlace::kKey), "\"x:1\"");
  EXPECT_EQ(YamlText("", YamlPlace::kBlock), "\"\"");
  EXPECT_EQ(YamlText("null", YamlPlace::kBlock), "\"null\"");
  EXPECT_EQ(YamlText("*/W", YamlPlace::kBlock), "\"*/W\"");
  EXPECT_EQ(YamlText("\\d+ \"x\"", YamlPlace::kBlock), "'\\d+ \"x\"'");
}

TEST(YamlText, ReadsBack) {
  for (const char* text : {"",        "~",         "null",     "Null",
                           "NULL",    "- a",       "-",        "--- a",
                           "... a",   "?",         "? a",      "a: b",
                           "a:",      ":a",        "a #b",     "#a",
                           "a# b",    " a",        "a ",       "[a",
                           "{a}",     "a, b",      "&a",       "*a",
                           "!a",      "|",         ">",        "'a'",
                           "\"a\"",   "%a",        "@a",       "`a",
                           "a\nb",    "a\n\n b\n", "a\tb",     "\ta",
                           "it's",    "a\\b",      "a\\n\"",   "\x01\x1f\x7f",
                           "\r\n",    "Größe",     "日本 # x", "\xF0\x9F\x98\x80",
                           "=",       "<<",        "a:b",      "${a}",
                           "(x + y)", "^x",        "1:30",     "0x1F",
                           "true"}) {
    ExpectSame(text);
  }
}

TEST(YamlText, AnyTextReadsBack) {
  constexpr std::string_view kParts = "ab1 :#-?,[]{}&*!|>'\"%@`\\\n\t\r\x02.~^=$()<ü";
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    const auto length = random() % 8;
    for (unsigned k = 0; k < length; ++k) {
      const char c = kParts[random() % (kParts.size() - 2)];
      text += c;
    }
    if (random() % 8 == 0) text += "ü";
    ExpectSame(text);
    if (HasFailure()) return;
  }
}

TEST(YamlText, LongTextsReadBack) {
  ExpectSame(std::string(900, 'k'));
  EXPECT_EQ(ReadBack(std::string(100000, 'v') + " w", YamlPlace::kBlock), std::string(100000, 'v') + " w");
}

}  // namespace
}  // namespace dfrun
