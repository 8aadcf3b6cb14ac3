// A directory that a test has to itself, whatever else runs beside it.
#ifndef DFRUN_TESTS_UNIT_TESTING_SCRATCH_DIRECTORY_H_
#define DFRUN_TESTS_UNIT_TESTING_SCRATCH_DIRECTORY_H_

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "src/base/status.h"

namespace dfrun {

// Empty at first; goes with all that is in it. The program ends where none can be made.
class ScratchDirectory {
 public:
  ScratchDirectory() : path_((std::filesystem::temp_directory_path() / "dfrun_test_XXXXXX").string()) {
    DF_CHECK(mkdtemp(path_.data()) != nullptr);
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string Path(const std::string& name) const { return path_ + "/" + name; }

  // Makes the file `name` and the directories on the way to it. Returns its path.
  std::string Write(const std::string& name, const std::string& bytes) const {
    const std::string file = Path(name);
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
  }

 private:
  std::string path_;
};

}  // namespace dfrun

#endif  // DFRUN_TESTS_UNIT_TESTING_SCRATCH_DIRECTORY_H_
