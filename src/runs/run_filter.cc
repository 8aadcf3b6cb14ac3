#include "src/runs/run_filter.h"

#include <algorithm>
#include <utility>

#include "src/base/text.h"

namespace dfrun {
namespace {

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\n") + 1 - begin);
}

bool IsQuote(char c) {
  return c == '\'' || c == '"';
}

// The position behind the text in quotes that begins at `at`, or behind the quote where no other follows.
size_t BehindQuoted(std::string_view text, size_t at) {
  const size_t end = text.find(text[at], at + 1);
  return end == std::string_view::npos ? at + 1 : end + 1;
}

// The parts between the words `and` that stand outside of quotes.
std::vector<std::string_view> PartsOf(std::string_view text) {
  constexpr std::string_view kAnd = " and ";
  std::vector<std::string_view> parts;
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    if (IsQuote(text[at])) {
      at = BehindQuoted(text, at);
    } else if (text.substr(at).starts_with(kAnd)) {
      parts.push_back(text.substr(begin, at - begin));
      at += kAnd.size();
      begin = at;
    } else {
      ++at;
    }
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::string WithoutQuotes(std::string_view text) {
  const bool is_quoted = text.size() > 1 && IsQuote(text.front()) && text.back() == text.front();
  return std::string(is_quoted ? text.substr(1, text.size() - 2) : text);
}

}  // namespace

Result<RunFilter> RunFilter::Parse(std::string_view text) {
  RunFilter filter;
  if (Trimmed(text).empty()) return filter;
  const std::string spaced = StrCat(" ", text, " ");  // an `and` at an end stands between blanks too
  for (const std::string_view part : PartsOf(spaced)) {
    DF_ASSIGN(Comparison comparison, ParseOne(Trimmed(part)));
    filter.comparisons_.push_back(std::move(comparison));
  }
  return filter;
}

Result<RunFilter::Comparison> RunFilter::ParseOne(std::string_view text) {
  // The longer signs come first: "<=" begins with "<".
  constexpr std::pair<std::string_view, Sign> kSigns[] = {
      {"<=", Sign::kLessOrEqual}, {">=", Sign::kGreaterOrEqual}, {"!=", Sign::kNotEqual}, {"==", Sign::kEqual},
      {"<", Sign::kLess},         {">", Sign::kGreater},         {"=", Sign::kEqual}};
  const size_t at = text.find_first_of("<>=!");
  const std::string_view rest = text.substr(std::min(at, text.size()));
  const auto* const sign = std::find_if(std::begin(kSigns), std::end(kSigns),
                                        [&](const auto& known) { return rest.starts_with(known.first); });
  const std::string name(Trimmed(text.substr(0, at)));
  if (sign == std::end(kSigns) || name.empty() || Trimmed(rest.substr(sign->first.size())).empty()) {
    return Error(Code::kUsage, "--where: '", text,
                 "' is no comparison; write NAME < VALUE, with <, <=, =, !=, >= or >, and `and` between several");
  }
  const std::string value = WithoutQuotes(Trimmed(rest.substr(sign->first.size())));
  return Comparison{name, sign->second, {value, ParseAs<double>(value)}};
}

Status RunFilter::CheckNames(const std::vector<RunCells>& runs) const {
  for (const Comparison& comparison : comparisons_) DF_TRY(CheckName(comparison.name, runs, "--where"));
  return Status();
}

bool RunFilter::Takes(const RunCells& run) const {
  return std::all_of(comparisons_.begin(), comparisons_.end(), [&](const Comparison& comparison) {
    const auto fact = run.find(comparison.name);
    return fact != run.end() && Holds(fact->second, comparison);
  });
}

bool RunFilter::Holds(const RunCell& fact, const Comparison& comparison) {
  const auto holds = [&](const auto& a, const auto& b) {
    switch (comparison.sign) {
      case Sign::kLess:
        return a < b;
      case Sign::kLessOrEqual:
        return a <= b;
      case Sign::kEqual:
        return a == b;
      case Sign::kNotEqual:
        return a != b;
      case Sign::kGreaterOrEqual:
        return a >= b;
      case Sign::kGreater:
        return a > b;
    }
    return false;
  };
  if (!comparison.value.number) return holds(fact.text, comparison.value.text);
  if (!fact.number) return comparison.sign == Sign::kNotEqual;
  return holds(*fact.number, *comparison.value.number);
}

}  // namespace dfrun
