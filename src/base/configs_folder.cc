#include "src/base/configs_folder.h"

#include <filesystem>

#include "src/base/library_folder.h"

namespace dfrun {

std::string ConfigsFolder() {
  std::error_code error;
  const std::filesystem::path configs = std::filesystem::canonical(LibraryFolder() / DFRUN_CONFIGS_FROM_LIBRARY, error);
  return error ? "" : configs.string();
}

bool IsFileOfLibrary(const std::string& path) {
  static const std::string folder = ConfigsFolder();
  std::error_code error;
  const std::string canonical = std::filesystem::weakly_canonical(path, error).string();
  return !folder.empty() && !error && canonical.starts_with(folder + "/lib/");
}

}  // namespace dfrun
