#include "src/spec/placed_text.h"

#include <algorithm>
#include <iterator>

namespace dfrun {

PlacedText::PlacedText(const Yaml& scalar) : whole_(scalar), view_(scalar.text()) {}

void PlacedText::Append(const Yaml& scalar, size_t begin, size_t size) {
  parts_.push_back({owned_.size(), scalar, begin, {}});
  owned_ += scalar.text().substr(begin, size);
}

void PlacedText::Append(std::string_view text, SourcePlace place) {
  parts_.push_back({owned_.size(), {}, 0, place});
  owned_ += text;
}

SourcePlace PlacedText::PlaceOf(size_t offset) const {
  if (parts_.empty()) return whole_ ? whole_->PlaceOf(offset) : SourcePlace();
  auto after =
      std::upper_bound(parts_.begin(), parts_.end(), offset, [](size_t o, const Part& part) { return o < part.begin; });
  const Part& part = *std::prev(after);
  return part.scalar ? part.scalar->PlaceOf(part.offset + offset - part.begin) : part.place;
}

}  // namespace dfrun
