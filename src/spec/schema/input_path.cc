#include "src/spec/schema/input_path.h"

#include <filesystem>
#include <string_view>

#include "src/base/status.h"

namespace dfrun {

std::string InputPath(const std::string& directory, const std::string& text) {
  constexpr std::string_view kSpecial = "*?[\\";
  const std::filesystem::path path = std::filesystem::path(directory) / text;
  std::error_code error;
  if (text.find_first_of(kSpecial) == std::string::npos || std::filesystem::exists(path, error)) return path.string();
  std::string escaped;
  for (const char c : directory) escaped += kSpecial.find(c) != std::string_view::npos ? StrCat("\\", c) : StrCat(c);
  return (std::filesystem::path(escaped) / text).string();
}

}  // namespace dfrun
