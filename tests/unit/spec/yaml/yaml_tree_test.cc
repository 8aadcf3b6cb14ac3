#include "src/spec/yaml/yaml_tree.h"

#include <gtest/gtest.h>

#include "src/spec/yaml/source_text.h"

namespace dfrun {
namespace {

std::string ParseError(const std::string& text) {
  Diagnostics diagnostics;
  const int32_t file = diagnostics.AddFile("f");
  if (CheckSpecText(text, file, diagnostics)) YamlDocument::Parse(text, file, diagnostics);
  return diagnostics.ToStatus().message();
}

TEST(YamlTree, KnowsThePlacesOfKeysAndValues) {
  Diagnostics diagnostics;
  const auto document =
      YamlDocument::Parse("a: 1\nbb:\n  - x\n  - {c: \"y\"}\n", diagnostics.AddFile("f"), diagnostics);
  ASSERT_TRUE(document);
  const Yaml root = document->root();
  ASSERT_EQ(root.size(), 2u);
  EXPECT_EQ(root.key(1).text(), "bb");
  EXPECT_EQ(diagnostics.Print(root.key(1).location()), "f:2:1");
  const Yaml list = root.value(1);
  ASSERT_TRUE(list.is_sequence());
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(diagnostics.Print(list.item(0).location()), "f:3:5");
  const Yaml quoted = list.item(1).value(0);
  EXPECT_EQ(quoted.text(), "y");
  EXPECT_EQ(diagnostics.Print(quoted.location()), "f:4:9");
  EXPECT_EQ(diagnostics.Print(quoted.LocationOf(0)), "f:4:10");
}

// The location of each byte of `marks` in the scalar `a` of a document, where the text has it first.
std::string LocationsOf(std::string_view marks, const std::string& text) {
  Diagnostics diagnostics;
  const auto document = YamlDocument::Parse(text, diagnostics.AddFile("f"), diagnostics);
  if (!document) return diagnostics.ToStatus().message();
  const Yaml scalar = document->root().value(0);
  std::string out;
  for (char mark : marks) {
    const size_t at = scalar.text().find(mark);
    out += at == std::string_view::npos ? "none " : diagnostics.Print(scalar.LocationOf(at)).substr(2) + " ";
  }
  return out;
}

TEST(YamlTree, EveryByteOfATextHasItsPlace) {
  EXPECT_EQ(LocationsOf("xyz", "a: x +\n    y\n  + z\n"), "1:4 2:5 3:5 ");
  EXPECT_EQ(LocationsOf("xyz", "a:\n  x +\r\n    y\r\n\r\n  + z\r\n"), "2:3 3:5 5:5 ");
  EXPECT_EQ(LocationsOf("xyz", "a: |  # a note\n   x\n     y\n\n   z\n"), "2:4 3:6 5:4 ");
  EXPECT_EQ(LocationsOf("xyz", "a: >2-\n   x\n  y\n\n  z"), "2:4 3:3 5:3 ");
  EXPECT_EQ(LocationsOf("xyz", "a: 'it''s x''\n  y\n\n  z'\n"), "1:11 2:3 4:3 ");
  EXPECT_EQ(LocationsOf("xyz", "a: \"\\u00e4\\t x \\\n  y\\\"\n\n  z\"\n"), "1:14 2:3 4:3 ");
  EXPECT_EQ(LocationsOf("xy", "a: \"x\\ty\"\n"), "1:5 1:8 ");
  EXPECT_EQ(LocationsOf("xy", "a: \xc3\xa4 x\n  y\n"), "1:7 2:3 ");
  EXPECT_EQ(LocationsOf("xy", "a: &n x\n  y\n"), "1:7 2:3 ");
  EXPECT_EQ(LocationsOf("xy", "a: &n  # a note\n  |-\n    x\n    y\n"), "3:5 4:5 ");
  EXPECT_EQ(LocationsOf("xy", "a: [x\n  y]\n"), "none none ");
}

TEST(YamlTree, TextIsWhatYamlMakesOfIt) {
  Diagnostics diagnostics;
  const auto document = YamlDocument::Parse("a: \"x\\ty\"\nb: 'it''s'\nc: plain\nd: >\n  folded\n  text\n",
                                            diagnostics.AddFile("f"), diagnostics);
  ASSERT_TRUE(document);
  EXPECT_EQ(document->root().value(0).text(), "x\ty");
  EXPECT_EQ(document->root().value(1).text(), "it's");
  EXPECT_EQ(document->root().value(2).text(), "plain");
  EXPECT_EQ(document->root().value(3).text(), "folded text\n");
}

TEST(YamlTree, CarriageReturnsEndLines) {
  Diagnostics diagnostics;
  const auto document = YamlDocument::Parse("a: 1\r\nb: two\r\n", diagnostics.AddFile("f"), diagnostics);
  ASSERT_TRUE(document);
  EXPECT_EQ(document->root().value(1).text(), "two");
  EXPECT_EQ(diagnostics.Print(document->root().value(1).location()), "f:2:4");
}

TEST(YamlTree, AliasesShareTheValueTheyName) {
  Diagnostics diagnostics;
  const auto document = YamlDocument::Parse("a: &x [1, 2]\nb: *x\n", diagnostics.AddFile("f"), diagnostics);
  ASSERT_TRUE(document);
  EXPECT_EQ(document->root().value(1).item(1).text(), "2");
}

TEST(YamlTree, NullIsNoText) {
  Diagnostics diagnostics;
  const auto document = YamlDocument::Parse("a: ~\nb:\nc: \"~\"\n", diagnostics.AddFile("f"), diagnostics);
  ASSERT_TRUE(document);
  EXPECT_TRUE(document->root().value(0).is_null());
  EXPECT_TRUE(document->root().value(1).is_null());
  EXPECT_EQ(document->root().value(2).text(), "~");
}

TEST(YamlTree, RefusesWithAPlace) {
  EXPECT_EQ(ParseError("a: 1\nb: {a: 1, c: 2, a: 3}\n"), "f:2:17: the key 'a' is written twice in this mapping");
  EXPECT_EQ(ParseError("a: 1\nb: !t 2\n"), "f:2:4: the tag '!t'; a spec has no tags");
  EXPECT_EQ(ParseError("a: &a\n  - *a\n"), "f:2:5: an alias stands inside the value that it names");
  EXPECT_EQ(ParseError("a: 1\n---\nb: 2\n"), "f:2:1: a second document begins here; a spec is one document");
  EXPECT_EQ(ParseError("a: 1\n? [x]\n: 2\n"), "f:2:3: a key must be a word");
  EXPECT_EQ(ParseError("a: &n \"x\\\"\n"), "f:1:4: this quoted text is never closed");
  EXPECT_EQ(ParseError("a: 1\nb: \"x\n"), "f:2:4: this quoted text is never closed");
  EXPECT_EQ(ParseError(""), "f:1:1: the file is empty");
  EXPECT_EQ(ParseError("\ta: 1\n"), "f:1:1: YAML: lines are indented by spaces, not by tabs");
  EXPECT_EQ(ParseError("a:\n \tb: 1\n"), "f:2:2: YAML: lines are indented by spaces, not by tabs");
}

TEST(YamlTree, SaysWhatToDoAboutErrorsOfYaml) {
  const auto expect = [](const std::string& text, const std::string& begin, const std::string& advice) {
    const std::string error = ParseError(text);
    EXPECT_EQ(error.substr(0, begin.size()), begin);
    EXPECT_NE(error.find(advice), std::string::npos) << error;
  };
  expect("a: b: c\n", "f:1:5: YAML: illegal map value; ", "quote texts that hold ': '");
  expect("a: [1, 2\nb: 3\n", "f:2:2: YAML: end of sequence flow not found; ", "'[' before this is not closed");
  expect("a: {b: 1\nc: 3\n", "f:2:2: YAML: end of map flow not found; ", "'{' before this is not closed");
  expect("a: *nowhere\n", "f:1:4: YAML: the referenced anchor is not defined; ", "no '&' above");
  expect("a: */W\n", "f:1:4: YAML: the referenced anchor is not defined; ",
         "a text that begins with '*' is quoted: \"*/W\"");
  expect("a: [b, *, c]\n", "f:1:", "a text that begins with '*' is quoted: \"*\"");
  expect("a: [b, **/W, c]\n", "f:1:", "a text that begins with '*' is quoted: \"**/W\"");
  expect("a: *.h5\n", "f:1:4: YAML: ", "a text that begins with '*' is quoted: \"*.h5\"");
  expect("a: [*h[12]/W]\n", "f:1:", "a text that begins with '*' is quoted: \"*h[12\"");
  expect("a:\n  b: 1\n c: 2\n", "f:3:2: YAML: end of map not found; ", "check its indentation");
  expect("a: \"\\w\"\n", "f:1:7: YAML: unknown escape character: w; ", "'...'");
}

TEST(YamlTree, RefusesBytesThatAreNoText) {
  EXPECT_EQ(ParseError(std::string("a: 1\nb: x\0y\n", 11)), "f:2:5: a NUL byte; a spec is UTF-8 text");
  EXPECT_EQ(ParseError("a: 1\nb: \"\xff\"\n"), "f:2:5: invalid UTF-8; save the file as UTF-8");
  EXPECT_EQ(ParseError("a: \xc0\xaf\n"), "f:1:4: invalid UTF-8; save the file as UTF-8");      // overlong '/'
  EXPECT_EQ(ParseError("a: \xed\xa0\x80\n"), "f:1:4: invalid UTF-8; save the file as UTF-8");  // a surrogate
  EXPECT_EQ(ParseError("a: \xf4\x90\x80\x80\n"), "f:1:4: invalid UTF-8; save the file as UTF-8");
  EXPECT_EQ(ParseError("a: \xe2\x82"), "f:1:4: invalid UTF-8; save the file as UTF-8");  // cut off
  EXPECT_EQ(ParseError("a: \xc3\xa4 \xe2\x82\xac \xf0\x9f\x99\x82\n"), "");
}

TEST(YamlTree, RefusesDeepNesting) {
  const auto nested = [](int levels) { return "a: " + std::string(levels, '[') + "1" + std::string(levels, ']'); };
  EXPECT_EQ(ParseError(nested(kMaxYamlDepth - 1)), "");  // the mapping is a level
  EXPECT_EQ(ParseError(nested(kMaxYamlDepth)), "f:1:67: nested deeper than 64 levels");
  EXPECT_NE(ParseError("a: " + std::string(200'000, '[')).find("nested deeper than 64 levels"), std::string::npos);
  // 40 levels within 40 levels by an alias.
  const std::string open(40, '[');
  const std::string close(40, ']');
  EXPECT_EQ(ParseError("a: &a " + open + "1" + close + "\nb: " + open + "*a" + close + "\n"),
            "f:2:44: nested deeper than 64 levels, aliases written out");
}

TEST(YamlTree, RefusesAliasesThatExplode) {
  std::string text = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string inner = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + inner;
    for (int j = 1; j < 10; ++j) text += ", " + inner;
    text += "]\n";
  }
  EXPECT_EQ(ParseError(text), "f:7:25: more than 4000000 values, aliases written out");
}

}  // namespace
}  // namespace dfrun
