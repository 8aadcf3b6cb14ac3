#include "jobs/json.h"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace dfrun::jobs {

std::string JsonNumber(double value) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return std::string(text, end);
}

Status CheckWritable(const std::string& path) {
  std::error_code error;
  if (path.empty()) return Status();
  if (std::filesystem::is_directory(path, error)) return IoError("cannot write '", path, "': it is a directory");
  const std::string parent = std::filesystem::path(path).parent_path().string();
  if (::access(parent.empty() ? "." : parent.c_str(), W_OK) == 0) return Status();
  return IoError("cannot write '", path, "': ", std::strerror(errno));
}

Status WriteTextFile(const std::string& path, std::string_view text) {
  std::ofstream out(path, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) return IoError("cannot write '", path, "': ", std::strerror(errno));
  return Status();
}

}  // namespace dfrun::jobs
