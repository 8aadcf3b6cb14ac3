#include "src/spec/yaml/located_text.h"

#include <algorithm>
#include <iterator>

namespace dfrun {

LocatedText::LocatedText(const Yaml& scalar) : whole_(scalar), view_(scalar.text()) {}

void LocatedText::Append(const Yaml& scalar, size_t begin, size_t size) {
  parts_.push_back({owned_.size(), scalar, begin, {}});
  owned_ += scalar.text().substr(begin, size);
}

void LocatedText::Append(std::string_view text, SourceLocation location) {
  parts_.push_back({owned_.size(), {}, 0, location});
  owned_ += text;
}

SourceLocation LocatedText::LocationOf(size_t offset) const {
  if (parts_.empty()) return whole_ ? whole_->LocationOf(offset) : SourceLocation();
  auto after =
      std::upper_bound(parts_.begin(), parts_.end(), offset, [](size_t o, const Part& part) { return o < part.begin; });
  const Part& part = *std::prev(after);
  return part.scalar ? part.scalar->LocationOf(part.offset + offset - part.begin) : part.location;
}

}  // namespace dfrun
