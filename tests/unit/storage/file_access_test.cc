// The rule which paths are within the allowed directories.
#include "src/storage/file_access.h"

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
  FileAccess Access() { return FileAccess(Rules("in")); }
  FileRules Rules(const std::string& root) {
    return {.is_confined = true, .trusts_inputs = false, .roots = {Path(root)}, .write_roots = {Path(root)}};
  }

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
  FileRules rules = Rules("in/file");
  rules.may_replace = true;
  const FileAccess one(rules);
  EXPECT_TRUE(one.ForWriting(Path("in/file")).ok());
  EXPECT_FALSE(one.ForWriting(Path("in/other")).ok());
}

TEST_F(FileAccessTest, ReplacesWhatTheRunHasWritten) {
  FileRules rules = Rules("in");
  rules.run_directory = Path("in/run");
  const FileAccess first(rules);
  EXPECT_THAT(first.ForWriting(Path("in/file")).status().message(), HasSubstr("there before the job"));
  EXPECT_THAT(first.ForAppending(Path("in/file")).status().message(), HasSubstr("--force"));
  const std::string odd = "in/run/a\\ b\nc";
  for (const std::string& name : {std::string("in/new"), odd}) {
    ASSERT_TRUE(first.ForWriting(Path(name)).ok()) << name;
    std::ofstream(Path(name)) << "written";
    EXPECT_TRUE(first.ForWriting(Path(name)).ok()) << name;
  }
  rules.rank = 1;  // another rank, or a job that goes on
  const FileAccess second(rules);
  for (const std::string& name : {std::string("in/new"), odd}) EXPECT_TRUE(second.ForAppending(Path(name)).ok());
  EXPECT_FALSE(second.ForWriting(Path("in/file")).ok());
  rules.run_directory = Path("in/run2");
  EXPECT_FALSE(FileAccess(rules).ForWriting(Path("in/new")).ok());
  rules.may_replace = true;
  EXPECT_TRUE(FileAccess(rules).ForWriting(Path("in/new")).ok());
}

TEST_F(FileAccessTest, WritesNothingHiddenAndNothingThatARunKeeps) {
  FileRules rules = Rules("in");
  rules.may_replace = true;
  rules.run_directory = Path("in/run");
  fs::create_directories(Path("in/.git"));
  fs::create_directories(Path("in/other"));
  std::ofstream(Path("in/other/run.json")) << "{}";
  fs::create_symlink(Path("in/.git"), Path("in/to_git"));
  const FileAccess access(rules);
  for (const char* name : {"in/.x", "in/.git/config", "in/a/.b/c", "in/to_git/config", "in/run/run.json",
                           "in/run/run-3.json", "in/run/metrics.jsonl", "in/run/written-0.txt", "in/run/.lock",
                           "in/run/trace/rank0.json", "in/run/checkpoints/LATEST", "in/run/checkpoints/step-2",
                           "in/run/checkpoints/step-2/shard-0.h5", "in/other/metrics.jsonl", "in/checkpoints/step-1"}) {
    for (const auto& path :
         {access.ForWriting(Path(name)), access.ForAppending(Path(name)), access.ForSaving(Path(name))})
      EXPECT_EQ(path.status().code(), Code::kBadSpec) << name;
  }
  for (const char* name :
       {"in/x", "in/run/checkpoints/model", "in/metrics.jsonl", "in/run/a/run.json", "in/steps/step-1"})
    EXPECT_TRUE(access.ForWriting(Path(name)).ok()) << name;
  EXPECT_TRUE(access.ForShard(Path("in/run/checkpoints/step-2.tmp-host-1-1"), "shard-0.h5").ok());
  EXPECT_FALSE(access.ForShard(Path("in/other/checkpoints/step-2.tmp-host-1-1"), "shard-0.h5").ok());
  EXPECT_FALSE(access.ForShard(Path("in/run/checkpoints/step-2"), "shard-0.h5").ok());
  rules.write_roots.push_back(Path("in/.git"));  // the user's own words
  EXPECT_TRUE(FileAccess(rules).ForWriting(Path("in/.git/config")).ok());
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
