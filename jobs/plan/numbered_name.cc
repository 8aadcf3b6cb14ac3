#include "jobs/plan/numbered_name.h"

#include <utility>

#include "src/base/text.h"

namespace dfrun::jobs {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

size_t EndOfDigits(std::string_view text, size_t begin) {
  while (begin < text.size() && IsDigit(text[begin])) ++begin;
  return begin;
}

}  // namespace

std::optional<NumberedName> NumberedName::Of(std::string_view before, std::string_view last) {
  NumberedName name;
  size_t at = 0;
  for (size_t i = 0; i < last.size();) {
    if (at >= before.size()) return {};
    if (!IsDigit(last[i])) {
      if (before[at++] != last[i]) return {};
      name.end_ += last[i++];
      continue;
    }
    const size_t end = EndOfDigits(last, i);
    const size_t end_before = EndOfDigits(before, at);
    const std::string_view digits = last.substr(i, end - i);
    const std::string_view digits_before = before.substr(at, end_before - at);
    i = end;
    at = end_before;
    if (digits == digits_before) {
      name.end_ += digits;
      continue;
    }
    const std::optional<int64_t> number = ParseAs<int64_t>(digits);
    const std::optional<int64_t> number_before = ParseAs<int64_t>(digits_before);
    const bool has_zeros = digits.front() == '0' || (digits_before.front() == '0' && digits_before.size() > 1);
    if (!number || !number_before || has_zeros || *number < *number_before) return {};
    name.pieces_.push_back({std::exchange(name.end_, ""), *number, *number - *number_before});
  }
  if (at < before.size()) return {};
  return name;
}

std::string NumberedName::OfCopy(int copy) const {
  std::string name;
  for (const Piece& piece : pieces_) {
    name += piece.text;
    name += std::to_string(piece.number + copy * piece.step);
  }
  return name + end_;
}

}  // namespace dfrun::jobs
