#include "src/spec/spec_library.h"

#include <dlfcn.h>

#include <filesystem>

namespace dfrun {

std::string SpecLibraryDirectory() {
  Dl_info library = {};
  if (::dladdr(reinterpret_cast<void*>(&SpecLibraryDirectory), &library) == 0) return "";
  std::error_code error;
  const std::filesystem::path file = std::filesystem::canonical(library.dli_fname, error);
  if (error) return "";
  const std::filesystem::path configs =
      std::filesystem::canonical(file.parent_path() / DFRUN_CONFIGS_FROM_LIBRARY, error);
  return error ? "" : configs.string();
}

}  // namespace dfrun
