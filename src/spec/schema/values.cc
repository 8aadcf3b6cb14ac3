#include "src/spec/schema/values.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "src/spec/expr/constant.h"

namespace dfrun {
namespace {

// Reads `text` as a number or as a sum or product of numbers.
std::optional<Constant::Scalar> ParseScalar(const std::string& text) {
  LocatedText located;
  located.Append(text, {});
  Diagnostics unheeded;  // the caller reports the form that it expects
  const std::optional<Expr> expr = ParseExpr(located, unheeded);
  if (!expr) return {};
  const Folded folded = FoldExpr(*expr, unheeded);
  if (!folded.is_constant() || !folded.value.dims.empty()) return {};
  return folded.value.elements[0];
}

}  // namespace

bool IsBoolOfYaml11(std::string_view word) {
  std::string lower(word);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const std::string_view known : {"yes", "no", "on", "off", "y", "n"}) {
    if (lower == known) return true;
  }
  return false;
}

bool ValueReader::Is(const Yaml& value, std::string_view word) const {
  if (!value.is_scalar()) return false;
  TextPool pool;
  Diagnostics unheeded;
  const LocatedText* text = params_.Substitute(value, pool, unheeded);
  return text != nullptr && text->text() == word;
}

std::nullopt_t ValueReader::Fail(const Yaml& value, std::string_view what, std::string_view wanted,
                                 std::string_view text) {
  diagnostics_.Error(value.location(), what, " must be ", wanted, ", not '", text, "'");
  return std::nullopt;
}

std::optional<std::string> ValueReader::Scalar(const Yaml& value, std::string_view what, std::string_view wanted) {
  if (!value.is_scalar()) {
    diagnostics_.Error(value.location(), what, " must be ", wanted, ", not ", value.Describe());
    return {};
  }
  TextPool pool;
  const LocatedText* text = params_.Substitute(value, pool, diagnostics_);
  if (text == nullptr) return {};
  return std::string(text->text());
}

std::optional<int64_t> ValueReader::Int(const Yaml& value, std::string_view what, int64_t minimum) {
  const std::string wanted = minimum == INT64_MIN ? "an integer" : StrCat("an integer of at least ", minimum);
  const std::optional<std::string> text = Scalar(value, what, wanted);
  if (!text) return {};
  const std::optional<Constant::Scalar> number = ParseScalar(*text);
  const int64_t* integer = number ? std::get_if<int64_t>(&*number) : nullptr;
  if (integer == nullptr || *integer < minimum) return Fail(value, what, wanted, *text);
  return *integer;
}

std::optional<double> ValueReader::Number(const Yaml& value, std::string_view what) {
  const std::optional<std::string> text = Scalar(value, what, "a number");
  if (!text) return {};
  const std::optional<Constant::Scalar> number = ParseScalar(*text);
  const auto* fraction = number ? std::get_if<double>(&*number) : nullptr;
  if (fraction != nullptr && !std::isfinite(*fraction)) return Fail(value, what, "a finite number", *text);
  if (fraction != nullptr) return *fraction;
  if (number && std::holds_alternative<int64_t>(*number)) return static_cast<double>(std::get<int64_t>(*number));
  if (number && std::holds_alternative<uint64_t>(*number)) return static_cast<double>(std::get<uint64_t>(*number));
  return Fail(value, what, "a number", *text);
}

std::optional<bool> ValueReader::Bool(const Yaml& value, std::string_view what) {
  const std::optional<std::string> text = Scalar(value, what, "true or false");
  if (!text) return {};
  if (const std::optional<bool> is_on = ParseBool(*text)) return is_on;
  return Fail(value, what, IsBoolOfYaml11(*text) ? kWantedBool : "true or false", *text);
}

std::optional<std::string> ValueReader::Text(const Yaml& value, std::string_view what) {
  return Scalar(value, what, "a text");
}

std::optional<int> ValueReader::Choice(const Yaml& value, std::string_view what,
                                       const std::vector<std::string>& choices) {
  std::string wanted = "one of";
  for (const std::string& choice : choices) wanted += StrCat(wanted == "one of" ? " " : ", ", choice);
  const std::optional<std::string> text = Scalar(value, what, wanted);
  if (!text) return {};
  auto it = std::find(choices.begin(), choices.end(), *text);
  if (it != choices.end()) return static_cast<int>(it - choices.begin());
  return Fail(value, what, wanted, *text);
}

}  // namespace dfrun
