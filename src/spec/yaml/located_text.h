// Text of the spec with the position of each byte, also after ${param} was replaced in it.
#ifndef DFRUN_SRC_SPEC_YAML_LOCATED_TEXT_H_
#define DFRUN_SRC_SPEC_YAML_LOCATED_TEXT_H_

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/spec/yaml/yaml_tree.h"

namespace dfrun {

// A text with the locations of its parts. An object is never moved, because expressions keep views of text().
class LocatedText {
 public:
  // A view of a scalar as it is written.
  explicit LocatedText(const Yaml& scalar);
  // An empty text, to which Append() adds parts.
  LocatedText() = default;
  LocatedText(const LocatedText&) = delete;
  LocatedText& operator=(const LocatedText&) = delete;

  // Appends `size` bytes of a scalar's text as they are written.
  void Append(const Yaml& scalar, size_t begin, size_t size);
  // Appends text that replaces something written at `location`.
  void Append(std::string_view text, SourceLocation location);

  std::string_view text() const { return parts_.empty() ? view_ : std::string_view(owned_); }
  SourceLocation LocationOf(size_t offset) const;

 private:
  struct Part {
    size_t begin;
    std::optional<Yaml> scalar;  // the bytes are this scalar's from `offset` on; without it all have `location`
    size_t offset;
    SourceLocation location;
  };

  std::optional<Yaml> whole_;  // a scalar as it is written
  std::string_view view_;      // text of `whole_`
  std::string owned_;
  std::vector<Part> parts_;
};

// Owns the texts that expressions point into, and bounds their size, which substitution could make huge.
class TextPool {
 public:
  static constexpr size_t kMaxBytes = size_t{32} << 20;

  const LocatedText& View(const Yaml& scalar) { return texts_.emplace_back(scalar); }
  LocatedText& Make() { return texts_.emplace_back(); }
  // Returns false if the texts that were made would have more than kMaxBytes.
  bool Spend(size_t bytes) { return (bytes_ += bytes) <= kMaxBytes; }

 private:
  std::deque<LocatedText> texts_;
  size_t bytes_ = 0;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_YAML_LOCATED_TEXT_H_
