#include "src/base/name_pattern.h"

#include <algorithm>
#include <utility>

namespace dfrun {
namespace {

unsigned char Byte(char c) {
  return static_cast<unsigned char>(c);
}

// The position of the ']' that ends the set which begins at `at`; npos where none does. A ']' that comes first is one
// of the set.
size_t EndOfSet(std::string_view text, size_t at) {
  size_t first = at + 1;
  if (first < text.size() && (text[first] == '!' || text[first] == '^')) ++first;
  return text.find(']', first + 1);
}

}  // namespace

NamePattern::NamePattern(std::string text) : text_(std::move(text)) {
  for (size_t i = 0; i < text_.size();) {
    const char c = text_[i];
    if (c == '*') {
      // Stars behind each other are one.
      if (pieces_.empty() || !pieces_.back().is_star) pieces_.push_back({.is_star = true});
      ++i;
    } else if (c == '?') {
      pieces_.push_back({.bytes = std::bitset<256>().set(), .is_plain = false});
      ++i;
    } else if (c == '[' && EndOfSet(text_, i) != std::string::npos) {
      i = AddSet(i);
    } else {
      if (c == '\\' && i + 1 < text_.size()) ++i;
      pieces_.push_back(One(Byte(text_[i++])));
    }
  }
}

NamePattern::Piece NamePattern::One(unsigned char byte) {
  Piece piece;
  piece.bytes.set(byte);
  return piece;
}

// Adds the set that begins at `at`, and returns where it ends.
size_t NamePattern::AddSet(size_t at) {
  const size_t end = EndOfSet(text_, at);
  const bool is_not = text_[at + 1] == '!' || text_[at + 1] == '^';
  Piece piece{.is_plain = false};
  for (size_t i = at + (is_not ? 2 : 1); i < end; ++i) {
    const bool is_range = i + 2 < end && text_[i + 1] == '-';
    const unsigned last = Byte(text_[is_range ? i + 2 : i]);
    for (unsigned byte = Byte(text_[i]); byte <= last; ++byte) piece.bytes.set(byte);
    if (is_range) i += 2;
  }
  if (is_not) piece.bytes.flip();
  pieces_.push_back(piece);
  return end + 1;
}

size_t NamePattern::num_stars() const {
  return static_cast<size_t>(std::count_if(pieces_.begin(), pieces_.end(), [](const Piece& p) { return p.is_star; }));
}

bool NamePattern::HasOtherSpecials() const {
  return std::any_of(pieces_.begin(), pieces_.end(), [](const Piece& p) { return !p.is_star && !p.is_plain; });
}

std::optional<std::vector<std::string>> NamePattern::Captures(std::string_view name) const {
  constexpr size_t kNone = static_cast<size_t>(-1);
  std::vector<std::pair<size_t, size_t>> runs;  // the begin and end of each star
  size_t star = kNone;                          // the last star that has been passed
  size_t piece = 0;
  size_t at = 0;
  while (at < name.size() || piece < pieces_.size()) {
    if (piece < pieces_.size() && pieces_[piece].is_star) {
      star = piece++;
      runs.emplace_back(at, at);
    } else if (piece < pieces_.size() && at < name.size() && pieces_[piece].bytes.test(Byte(name[at]))) {
      ++piece;
      ++at;
    } else if (star != kNone && runs.back().second < name.size()) {
      at = ++runs.back().second;
      piece = star + 1;
    } else {
      // The text itself is its own name, without a special.
      if (name == text_ && num_stars() == 0) return std::vector<std::string>();
      return {};
    }
  }
  std::vector<std::string> captures;
  captures.reserve(runs.size());
  for (const auto& [begin, end] : runs) captures.emplace_back(name.substr(begin, end - begin));
  return captures;
}

std::string NamePattern::Fill(const std::vector<std::string>& runs) const {
  std::string text;
  size_t star = 0;
  for (const Piece& piece : pieces_) {
    if (piece.is_star) {
      text += runs[star++];
    } else {
      for (size_t byte = 0; byte < piece.bytes.size(); ++byte) {
        if (piece.bytes.test(byte)) text += static_cast<char>(byte);
      }
    }
  }
  return text;
}

size_t NamePattern::DistanceTo(std::string_view name) const {
  // row[i]: the distance of the pieces so far to the first i characters of the name.
  std::vector<size_t> row(name.size() + 1);
  for (size_t i = 0; i < row.size(); ++i) row[i] = i;
  for (const Piece& piece : pieces_) {
    size_t diagonal = row[0];
    if (!piece.is_star) ++row[0];
    for (size_t i = 1; i < row.size(); ++i) {
      const size_t above = row[i];
      if (piece.is_star) {
        row[i] = std::min(above, row[i - 1]);
      } else {
        const size_t changed = diagonal + (piece.bytes.test(Byte(name[i - 1])) ? 0 : 1);
        row[i] = std::min({changed, above + 1, row[i - 1] + 1});
      }
      diagonal = above;
    }
  }
  return row[name.size()];
}

std::vector<std::string> NearestNames(const NamePattern& pattern, const std::vector<std::string>& names, size_t most) {
  constexpr size_t kMaxCompared = 10'000;
  std::vector<std::pair<size_t, size_t>> by_distance;  // the distance and the index of a name
  for (size_t i = 0; i < std::min(names.size(), kMaxCompared); ++i)
    by_distance.emplace_back(pattern.DistanceTo(names[i]), i);
  std::sort(by_distance.begin(), by_distance.end());
  std::vector<std::string> nearest;
  for (const auto& [distance, i] : by_distance) {
    if (nearest.size() == most) break;
    nearest.push_back(names[i]);
  }
  return nearest;
}

}  // namespace dfrun
