#include "src/spec/yaml/diagnostics.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "src/base/configs_folder.h"
#include "src/base/printable.h"
#include "src/base/text.h"
#include "src/graph/source_calls.h"

namespace dfrun {

bool Diagnostics::Entry::operator<(const Entry& other) const {
  const auto key = [](const Entry& e) {
    return std::tuple(e.location.file, e.location.line, e.location.column, std::string_view(e.message),
                      e.is_of_call ? std::string_view(e.called) : std::string_view());
  };
  return key(*this) < key(other);
}

int32_t Diagnostics::AddFile(std::string path) {
  const auto file = static_cast<int32_t>(files_.size());
  if (IsFileOfLibrary(path)) library_files_.insert(file);
  files_.push_back(std::move(path));
  return file;
}

int32_t Diagnostics::AddOption(std::string option) {
  const auto file = static_cast<int32_t>(files_.size());
  options_.insert(file);
  files_.push_back(std::move(option));
  return file;
}

void Diagnostics::Add(SourceLocation location, std::string message, Code code, bool is_of_call) {
  if (full()) return;
  Entry entry = Located(location, std::move(message), code, is_of_call);
  if (!ending_.empty() && errors_.contains(entry)) return;
  entry.message += ending_;
  errors_.insert(std::move(entry));
}

void Diagnostics::AddWarning(SourceLocation location, std::string message) {
  if (warnings_.size() < kMaxErrors) warnings_.insert(Located(location, std::move(message), Code::kBadSpec, false));
}

Diagnostics::Entry Diagnostics::Located(SourceLocation location, std::string message, Code code,
                                        bool is_of_call) const {
  const std::vector<SourceCall> chain = where_ == nullptr ? std::vector<SourceCall>() : where_->chain();
  ShownLocation shown = ShowLocation(
      location, chain, [this](int32_t file) { return IsLibrary(file); },
      [this](const SourceLocation& at) { return Print(at); });
  return {shown.location, std::move(message), std::move(shown.calls), is_of_call, code};
}

std::string Diagnostics::Print(SourceLocation location) const {
  if (location.file < 0) return "command line";
  const std::string& file = files_[location.file];
  return location.line > 0 && !IsOption(location.file) ? StrCat(file, ":", location.line, ":", location.column) : file;
}

std::vector<std::string> Diagnostics::Warnings() const {
  std::vector<std::string> texts;
  texts.reserve(warnings_.size());
  for (const Entry& e : warnings_) texts.push_back(StrCat(Print(e.location), ": ", e.message, e.called));
  return texts;
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
