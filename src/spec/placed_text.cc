#include "src/spec/placed_text.h"

#include <algorithm>
#include <iterator>

namespace dfrun {
namespace {

SourcePlace Advance(SourcePlace place, size_t columns, bool verbatim) {
  if (verbatim) place.column += static_cast<int32_t>(columns);
  return place;
}

}  // namespace

PlacedText::PlacedText(const Yaml& scalar)
    : view_(scalar.text()), view_place_(scalar.text_place()), view_verbatim_(scalar.verbatim()) {}

void PlacedText::Append(std::string_view text, SourcePlace place, bool verbatim) {
  parts_.push_back({owned_.size(), place, verbatim});
  owned_ += text;
}

SourcePlace PlacedText::PlaceOf(size_t offset) const {
  if (parts_.empty()) return Advance(view_place_, offset, view_verbatim_);
  auto after =
      std::upper_bound(parts_.begin(), parts_.end(), offset, [](size_t o, const Part& part) { return o < part.begin; });
  const Part& part = *std::prev(after);
  return Advance(part.place, offset - part.begin, part.verbatim);
}

}  // namespace dfrun
