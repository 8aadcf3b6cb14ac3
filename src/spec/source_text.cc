#include "src/spec/source_text.h"

#include <algorithm>
#include <filesystem>

#include "src/base/file.h"

namespace dfrun {
namespace {

// Bytes of the UTF-8 sequence at the begin of `text`; 0 where it is malformed (overlong and surrogates included).
size_t Utf8Length(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto continues = [&](size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned b = byte(0);
  if (b < 0x80) return 1;
  if (b >= 0xC2 && b <= 0xDF) return continues(1) ? 2 : 0;
  if (b >= 0xE0 && b <= 0xEF) {
    const unsigned low = b == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = b == 0xED ? 0x9F : 0xBF;
    return byte(1) >= low && byte(1) <= high && continues(2) ? 3 : 0;
  }
  if (b >= 0xF0 && b <= 0xF4) {
    const unsigned low = b == 0xF0 ? 0x90 : 0x80;
    const unsigned high = b == 0xF4 ? 0x8F : 0xBF;
    return byte(1) >= low && byte(1) <= high && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

SourcePlace PlaceAt(std::string_view text, size_t offset, int32_t file) {
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
      diagnostics.Error(PlaceAt(text, at, file), "a NUL byte; a spec is UTF-8 text");
      return false;
    }
    if (length == 0) {
      diagnostics.Error(PlaceAt(text, at, file), "invalid UTF-8; save the file as UTF-8");
      return false;
    }
    at += length;
  }
  return true;
}

}  // namespace dfrun
