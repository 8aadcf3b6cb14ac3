#include "src/spec/diagnostics.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "src/base/printable.h"
#include "src/base/text.h"

namespace dfrun {

bool Diagnostics::Entry::operator<(const Entry& other) const {
  return std::tie(place.file, place.line, place.column, message) <
         std::tie(other.place.file, other.place.line, other.place.column, other.message);
}

int32_t Diagnostics::AddFile(std::string path) {
  files_.push_back(std::move(path));
  return static_cast<int32_t>(files_.size()) - 1;
}

void Diagnostics::Add(SourcePlace place, std::string message, Code code) {
  if (full()) return;
  std::string called = where_ == nullptr ? "" : where_->text();
  if (message.ends_with(called)) called.clear();
  errors_.insert({place, std::move(message), std::move(called), code});
}

std::string Diagnostics::Print(SourcePlace place) const {
  if (place.file < 0) return "command line";
  const std::string& file = files_[place.file];
  return place.line > 0 ? StrCat(file, ":", place.line, ":", place.column) : file;
}

Status Diagnostics::ToStatus() const {
  if (ok()) return Status();
  std::string text = Join(errors_, "\n", [this](const Entry& e) {
    return PrintableLine(StrCat(Print(e.place), ": ", e.message, e.called));
  });
  if (full()) text += "\nthere may be more errors; these are the first";
  const bool is_spec =
      std::any_of(errors_.begin(), errors_.end(), [](const Entry& e) { return e.code == Code::kBadSpec; });
  return Status(is_spec ? Code::kBadSpec : errors_.begin()->code, std::move(text));
}

}  // namespace dfrun
