#include "tests/unit/testing/scratch_directory.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "src/base/status.h"

namespace dfrun {

ScratchDirectory::ScratchDirectory() : path_((std::filesystem::temp_directory_path() / "dfrun_test_XXXXXX").string()) {
  DF_CHECK(mkdtemp(path_.data()) != nullptr);
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ScratchDirectory::Write(const std::string& name, const std::string& bytes) const {
  const std::string file = Path(name);
  std::filesystem::create_directories(std::filesystem::path(file).parent_path());
  std::ofstream(file, std::ios::binary) << bytes;
  return file;
}

}  // namespace dfrun
