// Expressions of the spec as trees.
#ifndef DFRUN_SRC_SPEC_EXPR_EXPR_H_
#define DFRUN_SRC_SPEC_EXPR_EXPR_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/spec/yaml/diagnostics.h"
#include "src/spec/yaml/located_text.h"

namespace dfrun {

struct KeywordArg;

// The text is a view into a LocatedText that outlives the expression, into the program itself, or into `unescaped`.
struct Expr {
  enum class Kind : uint8_t {
    kInt,
    kUint,  // an integer that int64 cannot hold: uint_value
    kFloat,
    kBool,
    kString,
    kName,     // text, and port where one was written; "name/*" of a family, until ParseEntries() has made it a list
    kControl,  // ^text
    kList,     // items
    kMap,      // keywords; only among the keywords of a While that is written as a mapping
    kCall      // text(items..., keywords...)
  };
  Kind kind = Kind::kInt;
  bool is_operator = false;  // a call written as an operator: text is its op
  int32_t port = -1;
  SourceLocation location;
  std::string_view text;
  std::shared_ptr<const std::string> unescaped;  // for a kString with escapes
  std::string_view source;                       // the whole expression as it was written; empty if the parser made it
  int64_t int_value = 0;
  uint64_t uint_value = 0;
  double float_value = 0;
  std::vector<Expr> items;
  std::vector<KeywordArg> keywords;

  bool is(Kind k) const { return kind == k; }
};

struct KeywordArg {
  std::string_view name;
  SourceLocation location;
  Expr value;
  bool of_mapping = false;  // a key beside `op`, not an argument in a call
};

// The value of a call's keyword argument; null if it has none of this name.
const Expr* FindKeywordArg(const Expr& call, std::string_view name);

inline constexpr int kMaxExprDepth = 100;
// The most operators of one expression: n operators in a row make a tree of depth n.
inline constexpr int kMaxExprOperators = 500;

// Grammar, loosest first; operators of one line are left-associative:
//   comparison  a == b   a != b   a < b   a <= b   a > b   a >= b
//   sum         a + b    a - b
//   product     a * b    a / b
//   unary       -a
//   primary     number | true | false | 'text' | "text" | name | name:port | family/* | ^name | [a, b] | name(a, key=b)
//   | (a)
// Names are TensorFlow's and may hold '-', '/' and '>': those operators need white space before them. Words are numbers
// and bools as YAML 1.2 spells them, and `inf` and `nan`. In a text \n, \t, \r, \\, \', \" and \xNN are one character.
// Nothing after an error, which is then in `diagnostics`.
std::optional<Expr> ParseExpr(const LocatedText& text, Diagnostics& diagnostics);

// Parses all of `text` as a number; nothing if it is none. An integer that fits int64 is a kInt, one that fits uint64 a
// kUint.
std::optional<Expr> ParseNumber(std::string_view text);

// The value of a bool as YAML 1.2 spells it; nothing for other words.
std::optional<bool> ParseBool(std::string_view word);

// Whether the word stands for a value, so that no node can have it as its name: true, False, nan, ...
bool IsValueWord(std::string_view word);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_EXPR_EXPR_H_
