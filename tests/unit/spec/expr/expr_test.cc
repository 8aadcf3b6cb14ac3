#include "src/spec/expr/expr.h"

#include <gtest/gtest.h>

#include <memory>

#include "src/spec/expr/constant.h"

namespace dfrun {
namespace {

std::string Print(const Expr& e) {
  switch (e.kind) {
    case Expr::Kind::kInt:
      return std::to_string(e.int_value);
    case Expr::Kind::kUint:
      return StrCat(e.uint_value, "u");
    case Expr::Kind::kFloat:
      return StrCat(e.float_value, "f");
    case Expr::Kind::kBool:
      return e.int_value != 0 ? "true" : "false";
    case Expr::Kind::kString:
      return StrCat("'", e.text, "'");
    case Expr::Kind::kName:
      return e.port < 0 ? std::string(e.text) : StrCat(e.text, ":", e.port);
    case Expr::Kind::kControl:
      return StrCat("^", e.text);
    default:
      break;
  }
  std::string out(e.is(Expr::Kind::kCall) ? e.text : "");
  out += e.is(Expr::Kind::kCall) ? "(" : "[";
  bool first = true;
  for (const Expr& item : e.items) {
    out += (first ? "" : " ") + Print(item);
    first = false;
  }
  for (const KeywordArg& k : e.keywords) {
    out += StrCat(first ? "" : " ", k.name, "=", Print(k.value));
    first = false;
  }
  return out + (e.is(Expr::Kind::kCall) ? ")" : "]");
}

// `text` as the scalar of a document, where it begins at f:2:2.
std::unique_ptr<YamlDocument> Document(const std::string& text, Diagnostics& diagnostics) {
  return YamlDocument::Parse("|1-\n " + text, diagnostics.AddFile("f"), diagnostics);
}

// The tree, or the error.
std::string Parse(const std::string& text) {
  Diagnostics diagnostics;
  const std::unique_ptr<YamlDocument> document = Document(text, diagnostics);
  const LocatedText located(document->root());
  const std::optional<Expr> expr = ParseExpr(located, diagnostics);
  EXPECT_EQ(expr.has_value(), diagnostics.ok());
  return expr ? Print(*expr) : diagnostics.ToStatus().message();
}

std::string FoldText(const std::string& text) {
  Diagnostics diagnostics;
  const std::unique_ptr<YamlDocument> document = Document(text, diagnostics);
  const LocatedText located(document->root());
  const std::optional<Expr> expr = ParseExpr(located, diagnostics);
  if (!expr) return diagnostics.ToStatus().message();
  const Folded folded = FoldExpr(*expr, diagnostics);
  if (folded.is_error()) return diagnostics.ToStatus().message();
  return folded.is_constant() ? ToText(folded.value) : "not constant";
}

TEST(Expr, ProductsBindTighterThanSumsAndSumsThanComparisons) {
  EXPECT_EQ(Parse("a + b * c"), "Add(a Mul(b c))");
  EXPECT_EQ(Parse("a * b + c"), "Add(Mul(a b) c)");
  EXPECT_EQ(Parse("(a + b) * c"), "Mul(Add(a b) c)");
  EXPECT_EQ(Parse("a - b - c"), "Sub(Sub(a b) c)");
  EXPECT_EQ(Parse("a / b / c"), "Div(Div(a b) c)");
  EXPECT_EQ(Parse("a + b < c * d"), "Less(Add(a b) Mul(c d))");
  EXPECT_EQ(Parse("a >= b"), "GreaterEqual(a b)");
  EXPECT_EQ(Parse("a == b"), "Equal(a b)");
  EXPECT_EQ(Parse("-a * b"), "Mul(Neg(a) b)");
  EXPECT_EQ(Parse("a - -b"), "Sub(a Neg(b))");
  EXPECT_EQ(Parse("--2"), "2");
}

TEST(Expr, NamesMayHoldSlashesAndDashes) {
  EXPECT_EQ(Parse("h1/W"), "h1/W");
  EXPECT_EQ(Parse("a-b"), "a-b");
  EXPECT_EQ(Parse("a - b"), "Sub(a b)");
  EXPECT_EQ(Parse("a -1"), "Sub(a 1)");
  EXPECT_EQ(Parse("1d/conv"), "1d/conv");
  EXPECT_EQ(Parse("split:1 + x"), "Add(split:1 x)");
  EXPECT_EQ(Parse("^go"), "^go");
}

TEST(Expr, Numbers) {
  EXPECT_EQ(Parse("12"), "12");
  EXPECT_EQ(Parse("-12"), "-12");
  EXPECT_EQ(Parse("1e-3"), "0.001f");
  EXPECT_EQ(Parse("1e+3"), "1000f");
  EXPECT_EQ(Parse(".5"), "0.5f");
  EXPECT_EQ(Parse("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(Parse("9223372036854775808"), "9223372036854775808u");
  EXPECT_EQ(Parse("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(Parse("--9223372036854775808"), "9223372036854775808u");
  EXPECT_EQ(Parse("18446744073709551615"), "18446744073709551615u");
  EXPECT_EQ(Parse("18446744073709551616"), "1.84467e+19f");
  EXPECT_EQ(Parse("-18446744073709551615"), "-1.84467e+19f");
  for (const char* inf : {"inf", ".inf", ".Inf", ".INF"}) {
    EXPECT_EQ(Parse(inf), "inff");
    EXPECT_EQ(Parse(StrCat("-", inf)), "-inff");
  }
  for (const char* nan : {"nan", ".nan", ".NaN", ".NAN"}) EXPECT_EQ(Parse(nan), "nanf");
  EXPECT_EQ(Parse("inf(x)"), "inf(x)");
  EXPECT_EQ(Parse("info"), "info");
}

TEST(Expr, BoolsAreThoseOfYaml12) {
  for (const char* word : {"true", "True", "TRUE"}) EXPECT_EQ(Parse(word), "true");
  for (const char* word : {"false", "False", "FALSE"}) EXPECT_EQ(Parse(word), "false");
  for (const char* word : {"yes", "no", "on", "off", "tRue"}) EXPECT_EQ(Parse(word), word);
}

TEST(Expr, EscapesInTexts) {
  EXPECT_EQ(Parse(R"('a\tb\n')"), "'a\tb\n'");
  EXPECT_EQ(Parse(R"('it\'s')"), "'it's'");
  EXPECT_EQ(Parse(R"("\x41\\ \"q\"")"), "'A\\ \"q\"'");
  EXPECT_EQ(Parse(R"('\d+\.\xZZ')"), "'\\d+\\.\\xZZ'");  // begins no escape: stays, as patterns need it
  EXPECT_EQ(
      Parse(R"('a\')"),
      R"(f:2:2: the text that begins with ' is never closed; after a backslash a quote does not close it: write \\ for a backslash)");
}

TEST(Expr, CallsAndLists) {
  EXPECT_EQ(Parse("Conv2D(x, W, strides=[1, 2, 2, 1], padding=SAME)"), "Conv2D(x W strides=[1 2 2 1] padding=SAME)");
  EXPECT_EQ(Parse("f( )"), "f()");
  EXPECT_EQ(Parse("f(a == b, c=d)"), "f(Equal(a b) c=d)");
  EXPECT_EQ(Parse("f(g(x), 'a b', \"it's\", true)"), "f(g(x) 'a b' 'it's' true)");
  EXPECT_EQ(Parse("[[1, 2], []]"), "[[1 2] []]");
  EXPECT_EQ(Parse("f(k=1, ^go)"), "f(^go k=1)");
}

TEST(Expr, ErrorsHaveTheColumn) {
  EXPECT_EQ(Parse("f(a"), "f:2:5: expected ',' or ')', found the end");
  EXPECT_EQ(Parse("a +"), "f:2:5: expected a value, found the end");
  EXPECT_EQ(Parse("a b"), "f:2:4: expected an operator or the end of the expression, found 'b'");
  EXPECT_EQ(Parse("[1, 2"), "f:2:7: expected ',' or ']', found the end");
  EXPECT_EQ(Parse("(a"), "f:2:4: expected ')', found the end");
  EXPECT_EQ(Parse("f(k=1, 2)"), "f:2:9: a plain argument after one with a name");
  EXPECT_EQ(Parse("f(k=1, k=2)"), "f:2:9: 'k' is given twice");
  EXPECT_EQ(Parse("f('x)"),
            "f:2:4: the text that begins with ' is never closed; quotes, ' or \" at both ends, make a text: nodes and "
            "numbers are written without");
  EXPECT_EQ(Parse(""), "f:1:1: expected a value, found the end");
  std::string row = "x";
  for (int i = 0; i < 30000; ++i) row += " + x";
  EXPECT_EQ(Parse(row), "f:2:2005: more than 500 operators in one expression, found ' '");
  EXPECT_EQ(Parse(std::string(5000, '(')), "f:2:102: nested deeper than 100 levels, found '('");
  EXPECT_EQ(Parse(std::string(5000, '-') + "x"), "f:2:103: nested deeper than 100 levels, found '-'");
}

TEST(Constant, FoldsNumbers) {
  EXPECT_EQ(FoldText("2 + 3 * 4"), "14");
  EXPECT_EQ(FoldText("8 / 2"), "4");
  EXPECT_EQ(FoldText("7 / 2"), "3.5");
  EXPECT_EQ(FoldText("2 * 0.5"), "1.0");
  EXPECT_EQ(FoldText("-(2 + 3)"), "-5");
  EXPECT_EQ(FoldText("[1, 2 * 3]"), "[1, 6]");
  EXPECT_EQ(FoldText("9223372036854775807 + 1"), "9223372036854775808");
  EXPECT_EQ(FoldText("18446744073709551615 - 1"), "18446744073709551614");
  EXPECT_EQ(FoldText("18446744073709551615 + 1"), "18446744073709551616.0");
  EXPECT_EQ(FoldText("-9223372036854775808 + 0"), "-9223372036854775808");
  EXPECT_EQ(FoldText("4294967296 * 4294967296"), "18446744073709551616.0");
  EXPECT_EQ(FoldText("18446744073709551614 / 2"), "9223372036854775807");
  EXPECT_EQ(FoldText("[inf, -inf, nan, 2 * inf]"), "[inf, -inf, nan, inf]");
  EXPECT_EQ(FoldText("x + 1"), "not constant");
  EXPECT_EQ(FoldText("1 < 2"), "not constant");
}

TEST(Constant, RefusesWhatHasNoValue) {
  EXPECT_EQ(FoldText("1 / 0"), "f:2:2: '1 / 0' has no value: both sides must be numbers with a finite result");
  EXPECT_EQ(FoldText("1e308 * 10"),
            "f:2:2: '1e308 * 10' has no value: both sides must be numbers with a finite result");
  EXPECT_EQ(FoldText("'a' * 2"), "f:2:2: ''a' * 2' has no value: both sides must be numbers with a finite result");
  EXPECT_EQ(FoldText("[[1, 2], [3]]"), "f:2:11: the lists in a list must have equal lengths");
}

TEST(Constant, TensorsCheckTheirRange) {
  Constant c;
  c.dims = {2};
  c.elements = {int64_t{1}, int64_t{300}};
  EXPECT_EQ(ToTensor(c, DType::kInt8).status().message(), "'300' is no int8: it holds integers from -128 to 127");
  EXPECT_EQ(ToTensor(c, DType::kUint16)->values<uint16_t>()[1], 300);
  EXPECT_EQ(ToTensor(c, DType::kDouble)->values<double>()[1], 300.0);
  EXPECT_EQ(ToTensor(c, DType::kString).status().message(), "'1' is no string");
  c.elements = {1.5, int64_t{2}};
  EXPECT_EQ(ToTensor(c, DType::kInt32).status().message(),
            "'1.5' is no int32: it holds integers from -2147483648 to 2147483647");
  EXPECT_EQ(NaturalDType(c), DType::kFloat);
  c.elements = {int64_t{1}, int64_t{1} << 40};
  EXPECT_EQ(NaturalDType(c), DType::kInt64);
  c.elements = {int64_t{1}, ~uint64_t{0}};
  EXPECT_EQ(NaturalDType(c), DType::kUint64);
  EXPECT_EQ(ToTensor(c, DType::kUint64)->values<uint64_t>()[1], ~uint64_t{0});
  EXPECT_EQ(ToTensor(c, DType::kInt64).status().message(),
            "'18446744073709551615' is no int64: it holds integers from -9223372036854775808 to 9223372036854775807");
}

}  // namespace
}  // namespace dfrun
