// Files of a test in a directory of its own.
#ifndef DFRUN_TESTS_UNIT_IO_SCRATCH_FILES_H_
#define DFRUN_TESTS_UNIT_IO_SCRATCH_FILES_H_

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace dfrun {

class ScratchFiles {
 public:
  ScratchFiles() {
    std::string pattern = (std::filesystem::temp_directory_path() / "dfrun-io-XXXXXX").string();
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  ScratchFiles(const ScratchFiles&) = delete;
  ScratchFiles& operator=(const ScratchFiles&) = delete;
  ~ScratchFiles() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  // Makes the file, with the directories it needs; returns its path.
  std::string Write(const std::string& name, std::string_view content) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
    return path(name);
  }

 private:
  std::string directory_;
};

}  // namespace dfrun

#endif  // DFRUN_TESTS_UNIT_IO_SCRATCH_FILES_H_
