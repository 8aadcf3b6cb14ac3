#include "src/spec/schema/values.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>

#include "src/base/units.h"
#include "src/spec/expr/constant.h"

namespace dfrun {
namespace {

using ParseUnits = std::function<std::optional<double>(std::string_view)>;

// Replaces the words that `parse` reads by their numbers.
void ReplaceUnits(const ParseUnits& parse, Expr& expr) {
  for (Expr& item : expr.items) ReplaceUnits(parse, item);
  if (!expr.is(Expr::Kind::kName) || expr.port >= 0) return;
  const std::optional<double> number = parse(expr.text);
  if (!number) return;
  expr.kind = Expr::Kind::kFloat;
  expr.float_value = *number;
}

// Reads `text` as a number or as a sum or product of numbers, of which some may have units.
std::optional<Constant::Scalar> ParseScalar(const std::string& text, const ParseUnits& parse_units = nullptr) {
  LocatedText located;
  located.Append(text, {});
  Diagnostics unheeded;  // the caller reports the form that it expects
  std::optional<Expr> expr = ParseExpr(located, unheeded);
  if (!expr) return {};
  if (parse_units) ReplaceUnits(parse_units, *expr);
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

template <class T>
std::optional<double> ValueReader::Quantity(const Yaml& value, std::string_view what, std::string_view forms,
                                            Result<T> (*parse)(std::string_view)) {
  const std::optional<std::string> text = Scalar(value, what, forms);
  if (!text) return {};
  const Result<T> plain = parse(*text);
  if (plain.ok()) return static_cast<double>(*plain);
  const auto parse_units = [&](std::string_view word) -> std::optional<double> {
    const Result<T> number = parse(word);
    return number.ok() ? std::optional(static_cast<double>(*number)) : std::nullopt;
  };
  const std::optional<Constant::Scalar> worked_out = ParseScalar(*text, parse_units);
  const std::optional<double> number = worked_out ? AsDouble(*worked_out) : std::nullopt;
  if (number && std::isfinite(*number) && *number >= 0) return number;
  diagnostics_.Error(value.location(), what, " ", plain.status().message());
  return {};
}

std::optional<int64_t> ValueReader::Bytes(const Yaml& value, std::string_view what, int64_t minimum) {
  const std::optional<double> bytes = Quantity(value, what, kBytesForms, &ParseBytes);
  if (!bytes) return {};
  if (*bytes < 0x1p63 && *bytes == std::floor(*bytes) && *bytes >= static_cast<double>(minimum))
    return static_cast<int64_t>(*bytes);
  diagnostics_.Error(value.location(), what, " must be ", kBytesForms, ", whole and at least ",
                     std::max<int64_t>(minimum, 0), ", but is ", *bytes);
  return {};
}

std::optional<double> ValueReader::Seconds(const Yaml& value, std::string_view what) {
  return Quantity(value, what, kSecondsForms, &ParseSeconds);
}

std::optional<double> ValueReader::ShareOrBytes(const Yaml& value, std::string_view what) {
  constexpr std::string_view kForms = "a share, a number up to 1, or bytes: a number, or one with KiB, MiB or GiB";
  const std::optional<std::string> text = Scalar(value, what, kForms);
  if (!text) return {};
  const std::optional<Constant::Scalar> number = ParseScalar(*text);
  const std::optional<double> share_or_bytes = number ? AsDouble(*number) : std::nullopt;
  if (share_or_bytes && std::isfinite(*share_or_bytes)) return share_or_bytes;
  return Quantity(value, what, kForms, &ParseBytes);
}

std::optional<double> ValueReader::Number(const Yaml& value, std::string_view what) {
  const std::optional<std::string> text = Scalar(value, what, "a number");
  if (!text) return {};
  const std::optional<Constant::Scalar> scalar = ParseScalar(*text);
  const std::optional<double> number = scalar ? AsDouble(*scalar) : std::nullopt;
  if (!number) return Fail(value, what, "a number", *text);
  if (!std::isfinite(*number)) return Fail(value, what, "a finite number", *text);
  return number;
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
