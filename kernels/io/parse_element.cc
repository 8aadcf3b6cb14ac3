#include "kernels/io/parse_element.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <type_traits>
#include <utility>

#include "kernels/strings/parse_number.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

#define DF_PARSED bool, DF_REAL, std::string

// double holds all integers up to this.
constexpr double kExactDouble = 9007199254740992.0;

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

bool IsWord(std::string_view text, std::string_view word) {
  return std::equal(text.begin(), text.end(), word.begin(), word.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b; });
}

// An integer that is written as a float.
template <class T>
bool ParseWhole(std::string_view text, T& value) {
  double number = 0;
  if (text.find_first_not_of("0123456789+-.eE \t\n\v\f\r") != std::string_view::npos) return false;
  if (!ParseNumber(text, number) || number != std::trunc(number) || std::fabs(number) > kExactDouble) return false;
  const auto whole = static_cast<int64_t>(number);
  if (!std::in_range<T>(whole)) return false;
  value = static_cast<T>(whole);
  return true;
}

bool ParseAny(std::string_view text, bool& value) {
  text = Trimmed(text);
  value = text == "1" || IsWord(text, "true");
  return value || text == "0" || IsWord(text, "false");
}

template <class T>
bool ParseAny(std::string_view text, T& value) {
  if constexpr (std::is_same_v<T, bfloat16> || std::is_same_v<T, float16>) {
    float wide = 0;
    if (!ParseNumber(text, wide)) return false;
    value = static_cast<T>(wide);
    return true;
  } else if constexpr (std::is_integral_v<T>) {
    return ParseNumber(text, value) || ParseWhole(text, value);
  } else {
    return ParseNumber(text, value);
  }
}

// The digits of an integer without zeros before them; nothing for text in another form.
std::string_view DigitsOfInteger(std::string_view text) {
  text = Trimmed(text);
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  const size_t end = std::min(text.find('.'), text.size());
  if (text.find_first_not_of("0", std::min(end + 1, text.size())) != std::string_view::npos) return {};
  text = text.substr(0, end);
  if (!std::all_of(text.begin(), text.end(), IsDigit)) return {};
  return text.substr(std::min(text.find_first_not_of('0'), text.size()));
}

// OK where a float holds the integer that `text` may be.
template <class T>
Status CheckHolds(std::string_view text, T value) {
  const std::string_view digits = DigitsOfInteger(text);
  if (digits.size() < *LongDigits(DTypeOf<T>, true)) return Status();
  char held[std::numeric_limits<double>::max_exponent10 + 16];
  std::snprintf(held, sizeof held, "%.0f", static_cast<double>(value));
  if (digits == std::string_view(held).substr(held[0] == '-' ? 1 : 0)) return Status();
  int64_t integer = 0;
  uint64_t large = 0;
  const char* const other = ParseAny(text, integer) ? "int64" : ParseAny(text, large) ? "uint64" : "string";
  return NoInput("the integer ", Trimmed(text), " would become ", held, " as ", DTypeOf<T>,
                 ", the dtype where none is given: give the tensor `dtype: ", other, "`, or `dtype: ", DTypeOf<T>,
                 "` to have such numbers rounded");
}

// A number that has become infinite, and whose text does not say so.
template <class T>
bool IsBeyond(std::string_view text, T value) {
  if constexpr (std::is_integral_v<T>) {
    return false;
  } else {
    return std::isinf(static_cast<double>(value)) && std::any_of(text.begin(), text.end(), IsDigit);
  }
}

template <class T>
Status ParseValue(std::string_view text, bool is_exact, T& value) {
  if (!ParseAny(text, value)) return InvalidArgument("'", text, "' is no ", DTypeOf<T>);
  if constexpr (!std::is_integral_v<T>) {
    if (IsBeyond(text, value)) return InvalidArgument("'", text, "' is beyond the range of ", DTypeOf<T>);
    if (is_exact) return CheckHolds(text, value);
  }
  return Status();
}

}  // namespace

bool IsParsed(DType dtype) {
  return VisitDType<DF_PARSED>(dtype, [](auto) {});
}

Status ParseElement(std::string_view text, bool is_exact, Tensor& to, int64_t at) {
  Status status = InvalidArgument("text cannot be read as ", to.dtype());
  VisitDType<DF_PARSED>(to.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, std::string>) {
      to.data<T>()[at] = std::string(text);
      status = Status();
    } else {
      status = ParseValue(text, is_exact, to.data<T>()[at]);
    }
  });
  return status;
}

std::optional<size_t> LongDigits(DType dtype, bool is_exact) {
  std::optional<size_t> digits;
  VisitDType<DF_INTEGERS>(dtype,
                          [&](auto tag) { digits = std::numeric_limits<typename decltype(tag)::type>::digits10 + 1; });
  if (!is_exact) return digits;
  return dtype == DType::kFloat ? 8 : 1;  // 2^24 + 1
}

std::optional<DigitRun> FindLongInteger(std::string_view text, size_t digits, size_t from) {
  for (size_t at = from + digits - 1; at < text.size(); at += digits) {  // each such run has a digit at one of these
    if (!IsDigit(text[at])) continue;
    size_t begin = at;
    while (begin > from && IsDigit(text[begin - 1])) --begin;
    while (at + 1 < text.size() && IsDigit(text[at + 1])) ++at;
    const bool is_fraction = begin > 0 && text[begin - 1] == '.';
    if (!is_fraction && at + 1 - begin >= digits) return DigitRun{begin, at + 1 - begin};
  }
  return {};
}

}  // namespace dfrun
