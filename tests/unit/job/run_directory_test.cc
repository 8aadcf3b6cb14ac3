#include "src/job/run_directory.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

TEST(RunDirectoryTest, ARunIsNotOverwritten) {
  const ScratchDirectory scratch;
  const std::string path = scratch.Path("run");
  {
    auto made = RunDirectory::Open(path, false);
    ASSERT_TRUE(made.ok() && made->Make().ok());
  }
  scratch.Write("run/metrics.jsonl", "");  // left by a job that failed in its first step
  ASSERT_TRUE(RunDirectory::Open(path, false).ok());
  scratch.Write("run/metrics.jsonl", "{\"step\": 1, \"wall_s\": 0.5}\n");
  EXPECT_EQ(RunDirectory::Open(path, false).status().code(), Code::kUsage);
  EXPECT_TRUE(RunDirectory::Open(path, true).ok());
  std::filesystem::remove(path + "/metrics.jsonl");
  std::filesystem::create_directory(path + "/checkpoints");
  EXPECT_EQ(RunDirectory::Open(path, false).status().code(), Code::kUsage);
}

TEST(RunDirectoryTest, OneProcessAtATime) {
  const ScratchDirectory scratch;
  auto first = RunDirectory::Open(scratch.Path("run"), false);
  ASSERT_TRUE(first.ok() && first->Make().ok());
  EXPECT_EQ(RunDirectory::Open(scratch.Path("run"), true).status().code(), Code::kUsage);
}

TEST(RunDirectoryTest, LookingMakesNothing) {
  const ScratchDirectory scratch;
  ASSERT_TRUE(RunDirectory::Open(scratch.Path("run"), true).ok());
  EXPECT_FALSE(std::filesystem::exists(scratch.Path("run")));
  scratch.Write("held/metrics.jsonl", "{\"step\": 1, \"wall_s\": 0.5}\n");
  EXPECT_EQ(RunDirectory::Open(scratch.Path("held"), false).status().code(), Code::kUsage);
  EXPECT_FALSE(std::filesystem::exists(scratch.Path("held/.lock")));
}

TEST(RunDirectoryTest, ARunThatAnotherBeganMeanwhileIsNotOverwritten) {
  const ScratchDirectory scratch;
  auto late = RunDirectory::Open(scratch.Path("run"), true);
  ASSERT_TRUE(late.ok());
  scratch.Write("run/metrics.jsonl", "{\"step\": 1, \"wall_s\": 0.5}\n");
  EXPECT_EQ(late->Make().code(), Code::kUsage);
  EXPECT_EQ(late->Make().code(), Code::kUsage);  // failing made it no owner
}

TEST(RunDirectoryTest, ALinkInThePlaceOfTheLockIsNotFollowed) {
  const ScratchDirectory scratch;
  scratch.Write("run/notes", "mine");
  std::filesystem::create_symlink(scratch.Path("elsewhere"), scratch.Path("run/.lock"));
  EXPECT_EQ(RunDirectory::Open(scratch.Path("run"), true).status().code(), Code::kIo);
  EXPECT_FALSE(std::filesystem::exists(scratch.Path("elsewhere")));
}

}  // namespace
}  // namespace dfrun
