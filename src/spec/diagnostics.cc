#include "src/spec/diagnostics.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "src/base/printable.h"
#include "src/base/text.h"

namespace dfrun {

bool Diagnostics::Entry::operator<(const Entry& other) const {
  return std::tie(location.file, location.line, location.column, message) <
         std::tie(other.location.file, other.location.line, other.location.column, other.message);
}

int32_t Diagnostics::AddFile(std::string path) {
  files_.push_back(std::move(path));
  return static_cast<int32_t>(files_.size()) - 1;
}

void Diagnostics::Add(SourceLocation location, std::string message, Code code) {
  if (full()) return;
  std::string called = where_ == nullptr ? "" : where_->text();
  if (message.ends_with(called)) called.clear();
  errors_.insert({location, std::move(message), std::move(called), code});
}

std::string Diagnostics::Print(SourceLocation location) const {
  if (location.file < 0) return "command line";
  const std::string& file = files_[location.file];
  return location.line > 0 ? StrCat(file, ":", location.line, ":", location.column) : file;
}

Status Diagnostics::ToStatus() const {
  if (ok()) return Status();
  std::string text = Join(errors_, "\n", [this](const Entry& e) {
    return PrintableLine(StrCat(Print(e.location), ": ", e.message, e.called));
  });
  if (full()) text += "\nthere may be more errors; these are the first";
  const bool is_spec =
      std::any_of(errors_.begin(), errors_.end(), [](const Entry& e) { return e.code == Code::kBadSpec; });
  return Status(is_spec ? Code::kBadSpec : errors_.begin()->code, std::move(text));
}

}  // namespace dfrun
