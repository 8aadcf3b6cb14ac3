// Text of the spec that knows where each byte of it was written, also after ${param} was replaced in it.
#ifndef DFRUN_SRC_SPEC_PLACED_TEXT_H_
#define DFRUN_SRC_SPEC_PLACED_TEXT_H_

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/spec/yaml_tree.h"

namespace dfrun {

// Not moved once made: views of text() are kept by expressions.
class PlacedText {
 public:
  // A scalar as it stands, by view.
  explicit PlacedText(const Yaml& scalar);
  // Parts follow by Append().
  PlacedText() = default;
  PlacedText(const PlacedText&) = delete;
  PlacedText& operator=(const PlacedText&) = delete;

  // So many bytes of a scalar's text, as they stand.
  void Append(const Yaml& scalar, size_t begin, size_t size);
  // Text that stands for something written at `place`.
  void Append(std::string_view text, SourcePlace place);

  std::string_view text() const { return parts_.empty() ? view_ : std::string_view(owned_); }
  SourcePlace PlaceOf(size_t offset) const;

 private:
  struct Part {
    size_t begin;
    std::optional<Yaml> scalar;  // whose bytes from `offset` on these are; else all have that place
    size_t offset;
    SourcePlace place;
  };

  std::optional<Yaml> whole_;  // a scalar as it stands
  std::string_view view_;      // its text
  std::string owned_;
  std::vector<Part> parts_;
};

// Keeps the texts that expressions point into, and bounds what substitution can make of them.
class TextPool {
 public:
  static constexpr size_t kMaxBytes = size_t{32} << 20;

  const PlacedText& View(const Yaml& scalar) { return texts_.emplace_back(scalar); }
  PlacedText& Make() { return texts_.emplace_back(); }
  // False where the texts that were made would hold more than kMaxBytes.
  bool Spend(size_t bytes) { return (bytes_ += bytes) <= kMaxBytes; }

 private:
  std::deque<PlacedText> texts_;
  size_t bytes_ = 0;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_PLACED_TEXT_H_
