#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "src/spec/expr/expr.h"
#include "src/spec/expr/expr_hints.h"

namespace dfrun {
namespace {

bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
         c == '/' || c == '-' || c == '>' || c == '\\';
}

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

struct Operator {
  std::string_view text;
  std::string_view op;
};
constexpr Operator kComparisons[] = {{"==", "Equal"}, {"!=", "NotEqual"},     {"<=", "LessEqual"},
                                     {"<", "Less"},   {">=", "GreaterEqual"}, {">", "Greater"}};
constexpr Operator kSums[] = {{"+", "Add"}, {"-", "Sub"}};
constexpr Operator kProducts[] = {{"*", "Mul"}, {"/", "Div"}};
constexpr std::span<const Operator> kLevels[] = {kComparisons, kSums, kProducts};

// Parses the words of YAML 1.2 and of TensorFlow's Python for numbers that are not finite.
std::optional<double> ParseFloatWord(std::string_view word) {
  for (const std::string_view inf : {"inf", ".inf", ".Inf", ".INF"}) {
    if (word == inf) return std::numeric_limits<double>::infinity();
  }
  for (const std::string_view nan : {"nan", ".nan", ".NaN", ".NAN"}) {
    if (word == nan) return std::numeric_limits<double>::quiet_NaN();
  }
  return {};
}

// The character that an escape stands for, and the escape's bytes; 0 bytes where a backslash begins none.
struct Escape {
  char character;
  size_t bytes;
};
Escape ReadEscape(std::string_view text) {
  constexpr std::string_view kWritten = "ntr\\'\"";
  constexpr std::string_view kMeant = "\n\t\r\\'\"";
  if (text.size() < 2) return {0, 0};
  if (const size_t known = kWritten.find(text[1]); known != std::string_view::npos) return {kMeant[known], 2};
  uint8_t byte = 0;
  if (text[1] != 'x' || text.size() < 4) return {0, 0};
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + 4, byte, 16);
  const bool is_byte = error == std::errc() && end == text.data() + 4;
  return {static_cast<char>(byte), is_byte ? size_t{4} : 0};
}

// Replaces escapes like Python: a backslash that begins no escape stays, as in a pattern's "\d".
std::string Unescape(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Escape escape = text[0] == '\\' ? ReadEscape(text) : Escape{0, 0};
    out += escape.bytes > 0 ? escape.character : text[0];
    text.remove_prefix(std::max<size_t>(escape.bytes, 1));
  }
  return out;
}

// Recursive descent. A function that fails has reported why and returns nothing.
class Parser {
 public:
  Parser(const LocatedText& located, Diagnostics& diagnostics)
      : located_(located), text_(located.text()), diagnostics_(diagnostics) {}

  std::optional<Expr> Whole() {
    std::optional<Expr> expr = Binary(0);
    if (!expr) return {};
    Skip();
    if (at_ < text_.size()) return Fail("expected an operator or the end of the expression");
    return expr;
  }

 private:
  using Kind = Expr::Kind;

  void Skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  bool Take(std::string_view token) {
    Skip();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  char Peek() {
    Skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  template <class... Args>
  std::nullopt_t Fail(const Args&... args) {
    const std::string found = at_ < text_.size() ? StrCat(", found ", ShowCharacter(text_, at_)) : ", found the end";
    diagnostics_.Error(located_.LocationOf(at_), args..., found,
                       AtQuote() ? std::string(kAboutQuotes) : HintAt(text_, at_));
    return std::nullopt;
  }

  static constexpr std::string_view kAboutQuotes =
      "; quotes, ' or \" at both ends, make a text: nodes and numbers are written without";

  // True also for the quotes that word processors write.
  bool AtQuote() const {
    for (const std::string_view quote : {"'", "\"", "`", "\u2018", "\u2019", "\u201c", "\u201d"}) {
      if (text_.substr(at_).starts_with(quote)) return true;
    }
    return false;
  }

  Expr Made(Kind kind, size_t begin) const {
    Expr expr;
    expr.kind = kind;
    expr.location = located_.LocationOf(begin);
    expr.source = text_.substr(begin, at_ - begin);
    while (expr.source.ends_with(' ') || expr.source.ends_with('\n')) expr.source.remove_suffix(1);
    return expr;
  }

  std::optional<Expr> Binary(size_t level) {
    if (level == std::size(kLevels)) return Unary();
    Skip();
    const size_t begin = at_;
    std::optional<Expr> left = Binary(level + 1);
    while (left) {
      const Operator* op = TakeOperator(kLevels[level]);
      if (op == nullptr) return left;
      if (++operators_ > kMaxExprOperators)
        return Fail("more than ", kMaxExprOperators, " operators in one expression");
      std::optional<Expr> right = Binary(level + 1);
      if (!right) return {};
      Expr both = Made(Kind::kCall, begin);
      both.is_operator = true;
      both.text = op->op;
      both.items.reserve(2);
      both.items.push_back(*std::move(left));
      both.items.push_back(*std::move(right));
      left = std::move(both);
    }
    return left;
  }

  const Operator* TakeOperator(std::span<const Operator> operators) {
    for (const Operator& op : operators) {
      if (Take(op.text)) return &op;
    }
    return nullptr;
  }

  std::optional<Expr> Unary() {
    Skip();
    const size_t begin = at_;
    if (!Take("-")) return Primary();
    if (++depth_ > kMaxExprDepth) return Fail("nested deeper than ", kMaxExprDepth, " levels");
    std::optional<Expr> operand = Unary();
    --depth_;
    if (!operand) return {};
    if (operand->is(Kind::kInt) || operand->is(Kind::kUint) || operand->is(Kind::kFloat)) {
      Negate(*operand);
      operand->location = located_.LocationOf(begin);
      operand->source = text_.substr(begin, at_ - begin);
      return operand;
    }
    Expr negated = Made(Kind::kCall, begin);
    negated.is_operator = true;
    negated.text = "Neg";
    negated.items.push_back(*std::move(operand));
    return negated;
  }

  static void Negate(Expr& number) {
    constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
    constexpr uint64_t kOfLeast = uint64_t{1} << 63;
    number.float_value = -number.float_value;
    if (number.is(Kind::kInt) && number.int_value != kMin) {
      number.int_value = -number.int_value;
    } else if (number.is(Kind::kInt)) {
      number.kind = Kind::kUint;
      number.uint_value = kOfLeast;
    } else if (number.is(Kind::kUint)) {
      number.kind = number.uint_value == kOfLeast ? Kind::kInt : Kind::kFloat;
      number.int_value = kMin;
    }
  }

  std::optional<Expr> Primary() {
    if (++depth_ > kMaxExprDepth) return Fail("nested deeper than ", kMaxExprDepth, " levels");
    std::optional<Expr> expr = PrimaryAtDepth();
    --depth_;
    return expr;
  }

  std::optional<Expr> PrimaryAtDepth() {
    const char c = Peek();
    const size_t begin = at_;
    if (c == '(') return Parenthesised();
    if (c == '[') return List();
    if (c == '\'' || c == '"') return String(c);
    if (c == '^') {
      ++at_;
      const std::string_view name = Word();
      if (name.empty()) return Fail("expected the name of a node after '^'");
      Expr expr = Made(Kind::kControl, begin);
      expr.text = name;
      return expr;
    }
    const std::string_view word = Word();
    if (word.empty()) return Fail("expected a value");
    if (IsDigit(word[0]) || word[0] == '.' || (IsValueWord(word) && Peek() != '(')) {
      if (std::optional<Expr> number = ParseNumber(word)) {
        number->location = located_.LocationOf(begin);
        number->source = word;
        return number;
      }
    }
    return Peek() == '(' ? Call(word, begin) : Name(word, begin);
  }

  // Reads the longest run of name characters; a number may contain "e+", and the name of a family may end with "/*".
  std::string_view Word() {
    const size_t begin = at_;
    while (at_ < text_.size() && (IsNameChar(text_[at_]) || IsExponentSign(begin))) ++at_;
    if (at_ > begin + 1 && at_ < text_.size() && text_[at_ - 1] == '/' && text_[at_] == '*') ++at_;
    return text_.substr(begin, at_ - begin);
  }
  bool IsExponentSign(size_t begin) const {
    return text_[at_] == '+' && at_ > begin && (IsDigit(text_[begin]) || text_[begin] == '.') &&
           (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E');
  }

  std::optional<Expr> Name(std::string_view word, size_t begin) {
    int32_t port = -1;
    if (at_ + 1 < text_.size() && text_[at_] == ':' && IsDigit(text_[at_ + 1])) {
      const char* first = text_.data() + at_ + 1;
      auto [end, error] = std::from_chars(first, text_.data() + text_.size(), port);
      if (error != std::errc()) return Fail("expected a port number");
      at_ = static_cast<size_t>(end - text_.data());
    }
    const std::optional<bool> is_on = port < 0 ? ParseBool(word) : std::nullopt;
    Expr expr = Made(is_on ? Kind::kBool : Kind::kName, begin);
    expr.text = word;
    expr.port = port;
    expr.int_value = is_on.value_or(false) ? 1 : 0;
    return expr;
  }

  std::optional<Expr> Parenthesised() {
    const size_t begin = at_;
    ++at_;
    std::optional<Expr> inner = Binary(0);
    if (!inner) return {};
    if (!Take(")")) return Fail("expected ')'");
    inner->source = text_.substr(begin, at_ - begin);
    return inner;
  }

  std::optional<Expr> List() {
    const size_t begin = at_;
    ++at_;
    std::vector<Expr> items;
    while (!Take("]")) {
      if (!items.empty() && !Take(",")) return Fail("expected ',' or ']'");
      if (!items.empty() && Take("]")) break;
      std::optional<Expr> item = Binary(0);
      if (!item) return {};
      items.push_back(*std::move(item));
    }
    Expr list = Made(Kind::kList, begin);
    list.items = std::move(items);
    return list;
  }

  std::optional<Expr> String(char quote) {
    const size_t begin = at_;
    size_t end = begin + 1;
    while (end < text_.size() && text_[end] != quote) end += text_[end] == '\\' ? 2 : 1;
    if (end >= text_.size()) {
      diagnostics_.Error(located_.LocationOf(begin), "the text that begins with ", quote, " is never closed",
                         text_.find('\\', begin) == std::string_view::npos
                             ? kAboutQuotes
                             : "; after a backslash a quote does not close it: write \\\\ for a backslash");
      return {};
    }
    at_ = end + 1;
    Expr expr = Made(Kind::kString, begin);
    expr.text = text_.substr(begin + 1, end - begin - 1);
    if (expr.text.find('\\') == std::string_view::npos) return expr;
    expr.unescaped = std::make_shared<const std::string>(Unescape(expr.text));
    expr.text = *expr.unescaped;
    return expr;
  }

  std::optional<Expr> Call(std::string_view callee, size_t begin) {
    Take("(");
    std::vector<Expr> items;
    std::vector<KeywordArg> keywords;
    for (bool first = true; !Take(")"); first = false) {
      if (!first && !Take(",")) return Fail("expected ',' or ')'");
      if (!Argument(items, keywords)) return {};
    }
    Expr call = Made(Kind::kCall, begin);
    call.text = callee;
    call.items = std::move(items);
    call.keywords = std::move(keywords);
    return call;
  }

  bool Argument(std::vector<Expr>& items, std::vector<KeywordArg>& keywords) {
    Skip();
    const size_t begin = at_;
    const std::string_view word = Word();
    if (!word.empty() && Peek() == '=' && text_.substr(at_, 2) != "==") {
      ++at_;
      for (const KeywordArg& k : keywords) {
        if (k.name != word) continue;
        diagnostics_.Error(located_.LocationOf(begin), "'", word, "' is given twice");
        return false;
      }
      std::optional<Expr> value = Binary(0);
      if (!value) return false;
      keywords.push_back({word, located_.LocationOf(begin), *std::move(value)});
      return true;
    }
    at_ = begin;
    std::optional<Expr> value = Binary(0);
    if (!value) return false;
    if (!keywords.empty() && !value->is(Kind::kControl)) {
      diagnostics_.Error(value->location, "a plain argument after one with a name");
      return false;
    }
    items.push_back(*std::move(value));
    return true;
  }

  const LocatedText& located_;
  const std::string_view text_;
  Diagnostics& diagnostics_;
  size_t at_ = 0;
  int depth_ = 0;
  int operators_ = 0;
};

}  // namespace

const Expr* FindKeywordArg(const Expr& call, std::string_view name) {
  for (const KeywordArg& k : call.keywords) {
    if (k.name == name) return &k.value;
  }
  return nullptr;
}

std::optional<Expr> ParseNumber(std::string_view text) {
  Expr expr;
  const char* end = text.data() + text.size();
  if (auto [at, error] = std::from_chars(text.data(), end, expr.int_value); error == std::errc() && at == end) {
    expr.float_value = static_cast<double>(expr.int_value);
    return expr;
  }
  if (auto [at, error] = std::from_chars(text.data(), end, expr.uint_value); error == std::errc() && at == end) {
    expr.kind = Expr::Kind::kUint;
    expr.int_value = 0;
    expr.float_value = static_cast<double>(expr.uint_value);
    return expr;
  }
  expr.kind = Expr::Kind::kFloat;
  if (const std::optional<double> word = ParseFloatWord(text)) {
    expr.float_value = *word;
    return expr;
  }
  auto [at, error] = std::from_chars(text.data(), end, expr.float_value);
  if (error != std::errc() || at != end || !std::isfinite(expr.float_value)) return {};
  return expr;
}

std::optional<bool> ParseBool(std::string_view word) {
  if (word == "true" || word == "True" || word == "TRUE") return true;
  if (word == "false" || word == "False" || word == "FALSE") return false;
  return {};
}

bool IsValueWord(std::string_view word) {
  return ParseBool(word) || ParseFloatWord(word);
}

std::optional<Expr> ParseExpr(const LocatedText& text, Diagnostics& diagnostics) {
  return Parser(text, diagnostics).Whole();
}

}  // namespace dfrun
