#include "src/spec/spec_library.h"

#include <filesystem>

#include "src/base/library_folder.h"

namespace dfrun {

std::string SpecLibraryDirectory() {
  std::error_code error;
  const std::filesystem::path configs = std::filesystem::canonical(LibraryFolder() / DFRUN_CONFIGS_FROM_LIBRARY, error);
  return error ? "" : configs.string();
}

}  // namespace dfrun
