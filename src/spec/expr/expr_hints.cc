#include "src/spec/expr/expr_hints.h"

#include <algorithm>

#include "src/base/characters.h"
#include "src/base/status.h"
#include "src/base/utf8.h"

namespace dfrun {
namespace {

struct Spelling {
  std::string_view written;
  std::string_view hint;
};

// Hints by the operator at the error, or one byte before it; the longer ones first.
constexpr Spelling kOperators[] = {
    {"**", "a power is Pow(a, 2) or Square(a)"},
    {"@", "a product of matrices is MatMul(a, b)"},
    {"%", "a remainder is FloorMod(a, b)"},
    {"&&", "'and' is LogicalAnd(a, b)"},
    {"||", "'or' is LogicalOr(a, b)"},
    {"&", "'and' is LogicalAnd(a, b), of bits BitwiseAnd(a, b)"},
    {"|", "'or' is LogicalOr(a, b), of bits BitwiseOr(a, b)"},
    {"!=", ""},
    {"!", "'not' is LogicalNot(a)"},
    {"~", "'not' is LogicalNot(a), of bits Invert(a)"},
    {"?", "a choice is Cond(pred, a, b), element by element SelectV2(pred, a, b)"},
    {"$", "a param is written ${name}"},
    {"{", "a mapping stands in YAML, not in an expression: {op: MatMul, inputs: [a, b]}"},
    {";", "one entry is one expression"},
};

// Hints by the word that begins at the error.
constexpr Spelling kWords[] = {
    {"and", "it is LogicalAnd(a, b)"},
    {"or", "it is LogicalOr(a, b)"},
    {"not", "it is LogicalNot(a)"},
    {"if", "a choice is Cond(pred, a, b), element by element SelectV2(pred, a, b)"},
    {"else", "a choice is Cond(pred, a, b), element by element SelectV2(pred, a, b)"},
    {"in", "no operator tests membership: Any(Equal(a, b))"},
    {"is", "it is written ==, or Equal(a, b)"},
    {"for", "loops are written with While"},
    {"lambda", "functions are written in the section 'functions'"},
};

bool IsWordChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The last word that ends before `at`, over blanks.
std::string_view WordBefore(std::string_view text, size_t at) {
  while (at > 0 && text[at - 1] == ' ') --at;
  const size_t end = at;
  while (at > 0 && IsWordChar(text[at - 1])) --at;
  return text.substr(at, end - at);
}

std::string_view WordAt(std::string_view text, size_t at) {
  const size_t begin = at;
  while (at < text.size() && IsWordChar(text[at])) ++at;
  return text.substr(begin, at - begin);
}

// Names may hold '/', so that the parser has taken "//" for one.
bool IsAfterSlashes(std::string_view text, size_t at) {
  const size_t end = text.substr(0, at).find_last_not_of(' ');
  return end != std::string_view::npos && text.substr(0, end + 1).ends_with("//");
}

std::string_view AboutOperator(std::string_view text, size_t at) {
  if (IsAfterSlashes(text, at)) return "a rounded quotient is FloorDiv(a, b)";
  for (const Spelling& known : kOperators) {
    const bool is_here = text.substr(at).starts_with(known.written);
    const bool was_begun = at > 0 && known.written.size() == 2 && text.substr(at - 1).starts_with(known.written);
    if (is_here || was_begun) return known.hint;
  }
  return "";
}

std::string_view AboutWord(std::string_view word) {
  for (const Spelling& known : kWords) {
    if (known.written == word) return known.hint;
  }
  return "";
}

// Explains a bracket or a colon that follows a value without an operator.
std::string_view AboutBracket(std::string_view text, size_t at) {
  const bool follows_value = at > 0 && (IsWordChar(text[at - 1]) || text[at - 1] == ')' || text[at - 1] == ']');
  if (!follows_value || at >= text.size()) return "";
  if (text[at] == '[')
    return "an op takes parts of a tensor: GatherV2(x, 0, 1) is x[:, 0], StridedSlice(x, [0], [2], [1]) is x[0:2]";
  if (text[at] == '(') return "a layer is called once, with its attrs: dense(x, units=64)";
  if (text[at] == ':') return "an output of a node is a number after its name: x:1";
  return "";
}

}  // namespace

std::string HintAt(std::string_view text, size_t at) {
  const std::string look_alike = at < text.size() ? NameOfLookAlike(text.substr(at, Utf8Length(text.substr(at)))) : "";
  if (!look_alike.empty()) return "";  // ShowCharacter() says it
  for (const std::string_view hint : {AboutBracket(text, at), AboutOperator(text, at), AboutWord(WordAt(text, at)),
                                      AboutWord(WordBefore(text, at))}) {
    if (!hint.empty()) return StrCat("; ", hint);
  }
  return "";
}

std::string ShowCharacter(std::string_view text, size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x20 || byte == 0x7f) return StrCat("'\\", static_cast<int>(byte), "'");
  const std::string_view character = text.substr(at, std::max<size_t>(Utf8Length(text.substr(at)), 1));
  const std::string name = NameOfLookAlike(character);
  if (name.empty()) return StrCat("'", character, "'");
  return IsInvisible(CodePoint(character)) ? name : StrCat("'", character, "' (", name, ")");
}

}  // namespace dfrun
