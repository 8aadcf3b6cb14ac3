#include "src/spec/expr/brackets.h"

#include <algorithm>

namespace dfrun {
namespace {

bool IsPartOfWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
         c == '\\';
}

// Whether the character may be part of a name or an operator; it is an operator where no name precedes it.
bool IsWordOrOperatorChar(char c) {
  return c == '-' || c == '/' || c == '>';
}

bool WordEndsAt(std::string_view text, size_t end) {
  while (end > 0 && IsWordOrOperatorChar(text[end - 1])) --end;
  return end > 0 && (IsPartOfWord(text[end - 1]) || text[end - 1] == '^');
}

bool GoesOnAt(std::string_view text, size_t at) {
  if (at >= text.size()) return false;
  return IsPartOfWord(text[at]) || IsWordOrOperatorChar(text[at]) || text[at] == ':' || text[at] == '(';
}

bool HoldsBinaryOperator(std::string_view text) {
  LocatedText located;
  located.Append(text, {});
  Diagnostics unheeded;
  const std::optional<Expr> expr = ParseExpr(located, unheeded);
  return expr && expr->is_operator && expr->items.size() == 2;
}

bool IsSame(const Expr& a, const Expr& b);

bool IsSameKeyword(const KeywordArg& a, const KeywordArg& b) {
  return a.name == b.name && IsSame(a.value, b.value);
}

bool IsSame(const Expr& a, const Expr& b) {
  return a.kind == b.kind && a.is_operator == b.is_operator && a.text == b.text && a.port == b.port &&
         a.int_value == b.int_value && a.uint_value == b.uint_value && a.float_value == b.float_value &&
         std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), IsSame) &&
         std::equal(a.keywords.begin(), a.keywords.end(), b.keywords.begin(), b.keywords.end(), IsSameKeyword);
}

}  // namespace

std::vector<bool> FindQuoted(std::string_view text) {
  std::vector<bool> quoted(text.size() + 1, false);
  char quote = '\0';
  for (size_t i = 0; i < text.size(); ++i) {
    quoted[i] = quote != '\0';
    if (quote == '\0') {
      if (text[i] == '\'' || text[i] == '"') quote = text[i];
    } else if (text[i] == '\\' && i + 1 < text.size()) {
      quoted[++i] = true;
    } else if (text[i] == quote) {
      quote = '\0';
    }
  }
  quoted[text.size()] = quote != '\0';
  return quoted;
}

std::vector<bool> FindOperands(std::string_view text, const std::vector<InsertedText>& inserted) {
  std::vector<bool> operands;
  operands.reserve(inserted.size());
  const std::vector<bool> quoted = inserted.empty() ? std::vector<bool>() : FindQuoted(text);
  for (const InsertedText& i : inserted) {
    const size_t end = i.begin + i.size;
    operands.push_back(!quoted[i.begin] && !quoted[end] && !WordEndsAt(text, i.begin) && !GoesOnAt(text, end) &&
                       HoldsBinaryOperator(text.substr(i.begin, i.size)));
  }
  return operands;
}

bool MeansOther(const LocatedText& a, const LocatedText& b) {
  Diagnostics unheeded;
  const std::optional<Expr> first = ParseExpr(a, unheeded);
  const std::optional<Expr> second = ParseExpr(b, unheeded);
  return first && second && !IsSame(*first, *second);
}

}  // namespace dfrun
