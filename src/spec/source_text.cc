#include "src/spec/source_text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace dfrun {
namespace {

class FileHandle {
 public:
  explicit FileHandle(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  FileHandle(const FileHandle&) = delete;
  FileHandle& operator=(const FileHandle&) = delete;
  ~FileHandle() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }

 private:
  int fd_;
};

Status SystemError(const std::string& path) {
  return IoError("cannot read the spec '", path, "': ", std::strerror(errno));
}

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
  const FileHandle file(path);
  struct stat info;
  if (file.fd() < 0 || fstat(file.fd(), &info) != 0) return SystemError(path);
  if (!S_ISREG(info.st_mode)) return Error(Code::kBadSpec, "is not a regular file");
  if (static_cast<size_t>(info.st_size) > kMaxSpecBytes) {
    return Error(Code::kBadSpec, "has ", info.st_size, " bytes; a spec may have at most ", kMaxSpecBytes,
                 ": keep data in HDF5 files");
  }
  std::string text(static_cast<size_t>(info.st_size), '\0');
  size_t have = 0;
  while (have < text.size()) {
    const ssize_t n = read(file.fd(), text.data() + have, text.size() - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return SystemError(path);
    if (n == 0) break;
    have += static_cast<size_t>(n);
  }
  text.resize(have);
  if (text.compare(0, 3, "\xEF\xBB\xBF") == 0) text.erase(0, 3);
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
