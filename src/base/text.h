// Common operations on text: joining lists, reading numbers, checking names.
#ifndef DFRUN_SRC_BASE_TEXT_H_
#define DFRUN_SRC_BASE_TEXT_H_

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace dfrun {

// Joins print(item) of each item, as operator<< writes it, with `between` between them. For messages and listings.
template <class Items, class Print>
std::string Join(const Items& items, std::string_view between, Print&& print) {
  std::ostringstream out;
  std::string_view before;
  for (const auto& item : items) {
    out << before << print(item);
    before = between;
  }
  return std::move(out).str();
}
// Joins the items themselves.
template <class Items>
std::string Join(const Items& items, std::string_view between = ", ") {
  return Join(
      items, between, [](const auto& item) -> const auto& { return item; });
}

// Reads all of `text` as a number, without blanks and without a '+'; nothing for other text and for a number beyond T.
template <class T>
std::optional<T> ParseAs(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

// Returns true for one or more letters, digits and '_'.
inline bool IsIdentifier(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_TEXT_H_
