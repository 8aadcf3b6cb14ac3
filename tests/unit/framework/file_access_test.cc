// Which paths are within the directories that are allowed.
#include "src/framework/file_access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class FileAccessTest : public ::testing::Test {
 protected:
  FileAccessTest() {
    fs::create_directories(Path("in/below"));
    fs::create_directories(Path("inner"));
    fs::create_directories(Path("out"));
    std::ofstream(Path("in/file")) << "fine";
    std::ofstream(Path("out/file")) << "secret";
    fs::create_symlink(Path("out"), Path("in/to_out"));
    fs::create_symlink("../out/new", Path("in/to_nothing"));
    fs::create_symlink("loop", Path("in/loop"));
    fs::create_symlink("../in/file", Path("out/to_in"));
  }

  std::string Path(const std::string& name) { return files_.Path(name); }
  FileAccess Access() { return FileAccess({.is_confined = true, .trusts_inputs = false, .roots = {Path("in")}}); }

  ScratchDirectory files_;
};

TEST_F(FileAccessTest, ReadsBelowTheRootsAlone) {
  const FileAccess access = Access();
  for (const char* name : {"in/file", "in", "in/below/../file", "in/none", "in/./below//", "out/to_in"}) {
    EXPECT_TRUE(access.ForReading(Path(name)).ok()) << name;
  }
  for (const char* name : {"out/file", "inner", "in/../out/file", "in/to_out/file", "in/to_out", "in/to_nothing",
                           "in/none/../../out/file", "out/none", ".", "in/to_out/../out/file"}) {
    const Status status = access.ForReading(Path(name)).status();
    EXPECT_EQ(status.code(), Code::kBadSpec) << name;
    EXPECT_THAT(status.message(), HasSubstr("--allow-paths /")) << name;
  }
}

TEST_F(FileAccessTest, WritesBesideNoRoot) {
  const FileAccess access = Access();
  EXPECT_EQ(*access.ForWriting(Path("in/below/../new")), fs::canonical(Path("in")).string() + "/new");
  for (const char* name : {"in", "in/", "in/.", "in/below/..", "in/to_out/new", "in/to_nothing", "out/to_in"}) {
    EXPECT_EQ(access.ForWriting(Path(name)).status().code(), Code::kBadSpec) << name;
  }
  const FileAccess one({.is_confined = true, .trusts_inputs = false, .roots = {Path("in/file")}});
  EXPECT_TRUE(one.ForWriting(Path("in/file")).ok());
  EXPECT_FALSE(one.ForWriting(Path("in/other")).ok());
}

TEST_F(FileAccessTest, PathsThatLeadNowhere) {
  const FileAccess access = Access();
  EXPECT_EQ(access.OpenForReading(Path("in/none")).status().code(), Code::kNotFound);
  EXPECT_FALSE(access.OpenForReading(Path("in/loop")).ok());
  EXPECT_FALSE(access.OpenForReading("").ok());
  EXPECT_EQ(access.ForReading(Path("in/file") + std::string("\0/../../out/file", 16)).status().code(),
            Code::kInvalidArgument);
}

TEST_F(FileAccessTest, OpensWhatItHasJudged) {
  const FileAccess access = Access();
  const Result<FileDescriptor> file = access.OpenForReading(Path("in/file"));
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  EXPECT_EQ(*ReadAll(*file, 100), "fine");
  EXPECT_EQ(file->path(), Path("in/file"));
  EXPECT_EQ(access.OpenForReading(Path("in/to_out/file")).status().code(), Code::kBadSpec);
  EXPECT_THAT(access.OpenForReading(Path("in/below")).status().message(), HasSubstr("directory"));
}

TEST_F(FileAccessTest, WithoutRulesAnyFile) {
  EXPECT_EQ(*FileAccess::Unconfined()->ForReading("/etc/passwd"), "/etc/passwd");
  EXPECT_TRUE(FileAccess::Unconfined()->CheckPattern("/*/../*").ok());
}

TEST_F(FileAccessTest, NothingIsAllowedWithoutRoots) {
  const FileAccess none({.is_confined = true, .trusts_inputs = false, .roots = {}});
  EXPECT_FALSE(none.ForReading(Path("in/file")).ok());
  EXPECT_FALSE(none.CheckPattern("*").ok());
}

}  // namespace
}  // namespace dfrun
