#include "src/spec/yaml/source_text.h"

#include <algorithm>
#include <filesystem>

#include "src/base/file.h"
#include "src/base/utf8.h"

namespace dfrun {
namespace {

SourceLocation LocationAt(std::string_view text, size_t offset, int32_t file) {
  const std::string_view before = text.substr(0, offset);
  const size_t newline = before.rfind('\n');
  const size_t line_begin = newline == std::string_view::npos ? 0 : newline + 1;
  const auto lines = std::count(before.begin(), before.end(), '\n');
  return {file, static_cast<int32_t>(lines) + 1, static_cast<int32_t>(offset - line_begin) + 1};
}

}  // namespace

Result<std::string> ReadSpecFile(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return IoError("cannot read the spec '", path, "': no such file");
  if (!std::filesystem::is_regular_file(status)) return Error(Code::kBadSpec, "is not a regular file");
  const uintmax_t bytes = std::filesystem::file_size(path, error);
  if (!error && bytes > kMaxSpecBytes) {
    return Error(Code::kBadSpec, "has ", bytes, " bytes; a spec may have at most ", kMaxSpecBytes,
                 ": keep data in HDF5 files");
  }
  Result<std::string> text = ReadFile(path, kMaxSpecBytes);
  if (text.ok() && text->starts_with("\xEF\xBB\xBF")) text->erase(0, 3);
  return text;
}

bool CheckSpecText(std::string_view text, int32_t file, Diagnostics& diagnostics) {
  for (size_t at = 0; at < text.size();) {
    const size_t length = Utf8Length(text.substr(at));
    if (text[at] == '\0') {
      diagnostics.Error(LocationAt(text, at, file), "a NUL byte; a spec is UTF-8 text");
      return false;
    }
    if (length == 0) {
      diagnostics.Error(LocationAt(text, at, file), "invalid UTF-8; save the file as UTF-8");
      return false;
    }
    at += length;
  }
  return true;
}

}  // namespace dfrun
