#include "src/session/run_directory.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

TEST(RunDirectoryTest, ARunIsNotOverwritten) {
  const ScratchDirectory scratch;
  const std::string path = scratch.Path("run");
  ASSERT_TRUE(RunDirectory::Open(path, false).ok());
  scratch.Write("run/metrics.jsonl", "");  // of a job that failed in its first step
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
  const auto first = RunDirectory::Open(scratch.Path("run"), false);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(RunDirectory::Open(scratch.Path("run"), true).status().code(), Code::kUsage);
}

}  // namespace
}  // namespace dfrun
