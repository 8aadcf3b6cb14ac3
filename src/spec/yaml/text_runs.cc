#include "src/spec/yaml/text_runs.h"

#include <algorithm>

namespace dfrun {
namespace {

bool IsWhite(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// The number of bytes of the UTF-8 character that begins with `lead`.
size_t CharacterLength(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// The length of an escape such as "\x41", by the letter after the backslash.
size_t EscapeLength(char letter) {
  return letter == 'x' ? 4 : letter == 'u' ? 6 : letter == 'U' ? 10 : 2;
}

// Walks source and value side by side: bytes other than white space are in both, in the same order.
class Aligner {
 public:
  Aligner(std::string_view source, size_t at, int32_t line, int32_t column, std::string_view value)
      : source_(source), value_(value), at_(at), line_(line), column_(column) {
    MoveTo(SkipAnchor(source, at));
    quote_ = At(0) == '"' || At(0) == '\'' ? At(0) : '\0';
    if (quote_ != '\0') Move(1);
    const bool is_block = quote_ == '\0' && (At(0) == '|' || At(0) == '>');
    if (is_block) MoveTo(std::min(source_.find('\n', at_), source_.size()));
    runs_.push_back({0, line_, column_});
  }

  TextRuns Align() && {
    while (done_ < value_.size() && Step()) {
    }
    return {std::move(runs_), at_};
  }

 private:
  // Returns NUL beyond the end; a spec contains none.
  char At(size_t offset) const { return at_ + offset < source_.size() ? source_[at_ + offset] : '\0'; }

  void Move(size_t bytes) {
    for (; bytes > 0 && at_ < source_.size(); --bytes, ++at_) {
      if (source_[at_] == '\n') {
        ++line_;
        column_ = 1;
      } else {
        ++column_;
      }
    }
  }
  void MoveTo(size_t at) { Move(at - at_); }

  // Returns false if source and value do not match, which the parser's rules exclude.
  bool Step() {
    const char wanted = value_[done_];
    if (quote_ == '"' && At(0) == '\\') {
      if (At(1) == '\n' || At(1) == '\r') {
        Move(At(1) == '\r' ? 3 : 2);
      } else {
        Take(CharacterLength(wanted), EscapeLength(At(1)));
      }
    } else if (quote_ == '\'' && wanted == '\'' && At(0) == '\'') {
      Take(1, 2);
    } else if (At(0) == wanted || (IsWhite(wanted) && IsWhite(At(0)))) {
      Take(1, 1);
    } else if (IsWhite(wanted)) {
      ++done_;
    } else if (IsWhite(At(0))) {
      Move(1);
    } else {
      return false;
    }
    return true;
  }

  void Take(size_t of_value, size_t of_source) {
    TextRun& last = runs_.back();
    const auto begin = static_cast<uint32_t>(done_);
    if (begin == last.begin) {
      last = {begin, line_, column_};
    } else if (last.line != line_ || last.column + static_cast<int32_t>(begin - last.begin) != column_) {
      runs_.push_back({begin, line_, column_});
    }
    done_ += of_value;
    Move(of_source);
  }

  const std::string_view source_;
  const std::string_view value_;
  size_t at_;        // in source_
  size_t done_ = 0;  // bytes of value_ that are done
  int32_t line_;
  int32_t column_;
  char quote_;
  std::vector<TextRun> runs_;
};

}  // namespace

size_t SkipAnchor(std::string_view source, size_t at) {
  if (at >= source.size() || source[at] != '&') return at;
  while (at < source.size() && !IsWhite(source[at])) ++at;
  for (; at < source.size(); ++at) {
    if (source[at] == '#') at = std::min(source.find('\n', at), source.size() - 1);
    if (!IsWhite(source[at])) break;
  }
  return at;
}

TextRuns FindTextRuns(std::string_view source, size_t at, int32_t line, int32_t column, std::string_view value) {
  return Aligner(source, at, line, column, value).Align();
}

}  // namespace dfrun
