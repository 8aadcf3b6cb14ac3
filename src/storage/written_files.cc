#include "src/storage/written_files.h"

#include "src/base/file.h"
#include "src/base/text.h"

namespace dfrun {
namespace {

constexpr std::string_view kBegin = "written-";
constexpr std::string_view kEnd = ".txt";
constexpr size_t kMaxBytes = size_t{256} << 20;

bool HasLine(std::string_view text, const std::string& line) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return false;  // cut short as it was written
    if (text.substr(0, end) == line) return true;
    text.remove_prefix(end + 1);
  }
  return false;
}

}  // namespace

bool WrittenFiles::IsListName(std::string_view name) {
  return name.starts_with(kBegin) && name.ends_with(kEnd);
}

std::string WrittenFiles::LineOf(const std::string& path) const {
  std::string_view rest = path;
  const std::string below = run_directory_ + "/";
  if (!run_directory_.empty() && rest.starts_with(below)) rest.remove_prefix(below.size());
  std::string line;
  for (const char c : rest) {
    if (c == '\n') {
      line += "\\n";
    } else {
      line.append(c == '\\' ? 2 : 1, c);
    }
  }
  return line;
}

Result<bool> WrittenFiles::IsListed(const std::string& line) const {
  const Result<std::vector<std::string>> names = ListDirectory(run_directory_);
  if (names.status().code() == Code::kNotFound) return false;
  DF_TRY(names.status());
  for (const std::string& name : *names) {
    if (!IsListName(name)) continue;
    DF_ASSIGN(const FileDescriptor file, FileDescriptor::OpenRegular(StrCat(run_directory_, "/", name)));
    DF_ASSIGN(const std::string text, ReadAll(file, kMaxBytes));
    if (HasLine(text, line)) return true;
  }
  return false;
}

Result<bool> WrittenFiles::Has(const std::string& path) const {
  const std::string line = LineOf(path);
  {
    MutexLock lock(mu_);
    if (known_.count(line) > 0) return true;
  }
  return run_directory_.empty() ? false : IsListed(line);
}

Status WrittenFiles::Add(const std::string& path) {
  const std::string line = LineOf(path);
  MutexLock lock(mu_);
  if (known_.count(line) > 0) return Status();
  if (!run_directory_.empty()) {
    DF_TRY(MakeDirectories(run_directory_));
    DF_ASSIGN(const FileDescriptor list,
              FileDescriptor::OpenForAppending(StrCat(run_directory_, "/", kBegin, rank_, kEnd)));
    // A line that a kill cut short is ended first.
    DF_ASSIGN(const uint64_t bytes, list.Size());
    DF_TRY(list.Append(known_.empty() && bytes > 0 ? StrCat("\n", line, "\n") : line + "\n"));
    DF_TRY(list.Sync());
  }
  known_.insert(line);
  return Status();
}

}  // namespace dfrun
