// Checks, before anything is written, whether a checkpoint can hold the values: their names, and the directory.
#include "src/checkpoint/savable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "src/checkpoint/manifest_file.h"
#include "src/checkpoint/store.h"
#include "src/storage/dataset_paths.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

using ::testing::HasSubstr;

std::string Why(const std::vector<std::string>& names) {
  std::vector<SavedVariable> variables;
  for (const std::string& name : names) variables.push_back({name, DType::kFloat, Shape({2})});
  const std::optional<Unsavable> unsavable = FindUnsavable(variables);
  return unsavable ? StrCat(unsavable->at, ": ", unsavable->why) : "";
}

TEST(Savable, PathsAreAsHdf5TakesThem) {
  EXPECT_EQ(DatasetPath("a/b"), "/a/b");
  EXPECT_EQ(DatasetPath("//a/.//./b/"), "/a/b");
  EXPECT_EQ(DatasetPath("a/../b"), "/a/../b");
  EXPECT_EQ(DatasetPath(".a/b."), "/.a/b.");
  EXPECT_EQ(DatasetPath("./"), "");
}

TEST(Savable, NamesOfOnePathAreFound) {
  EXPECT_EQ(Why({"a", "a/b", "a/b/c", "b.", "../a"}), "");
  EXPECT_EQ(
      Why({"x", "linear/weight", "y", "linear//weight"}),
      "3: variables 'linear/weight' and 'linear//weight' are one path in a checkpoint, /linear/weight:0; give one of "
      "them another name");
  for (const char* same : {"/a/b", "a/./b", "./a/b", "a///b"})
    EXPECT_THAT(Why({"a/b", same}), HasSubstr("are one path"));
  // The ops take names with ':'.
  EXPECT_EQ(
      Why({"a", "a:0/b"}),
      "1: variable 'a:0/b' is /a:0/b:0 in a checkpoint, which lies below 'a', /a:0; give one of them another name");
}

TEST(Savable, WhatCannotBeSavedAlone) {
  EXPECT_EQ(Why({std::string(kLongestVariableName, 'x')}), "");
  EXPECT_THAT(Why({"a", std::string(kLongestVariableName + 1, 'x')}), HasSubstr("1: variable 'xxxx"));
  EXPECT_THAT(FindUnsavable({{"r", DType::kResource, Shape()}})->why,
              HasSubstr("is a resource, which cannot be saved"));
  const auto of_rank = [](size_t rank) {
    return std::vector<SavedVariable>{{"v", DType::kFloat, Shape(std::vector<int64_t>(rank, 1))}};
  };
  EXPECT_FALSE(FindUnsavable(of_rank(32)));
  EXPECT_THAT(FindUnsavable(of_rank(33))->why, HasSubstr("33 dimensions"));
}

TEST(Savable, TheRuleOfNamesIsThatOfSaving) {
  const Tensor one = Tensor::Vector<float>({1, 2});
  const auto saves = [&](const std::vector<std::string>& names) {
    const ScratchDirectory scratch;
    Manifest manifest;
    std::vector<NamedTensor> variables;
    for (const std::string& name : names) variables.push_back({name, one});
    Result<ShardEntry> shard = WriteShard(scratch.path(), "shard-0.h5", variables);
    if (!shard.ok()) return false;
    manifest.shards.push_back(*std::move(shard));
    if (!WriteIndex(scratch.path(), manifest).ok()) return false;
    const Result<std::vector<Tensor>> back =
        ReadShard(scratch.Path("shard-0.h5"), manifest.shards[0].variables, SystemAllocator());
    return back.ok() && back->size() == names.size();
  };
  for (const std::vector<std::string>& names : std::vector<std::vector<std::string>>{
           {"a", "a/b"}, {"a/./b"}, {"/a"}, {"a/"}, {"a/b", "a//b"}, {"a/b", "/a/b"}, {"a", "a:0/b"}, {".", "./a"}}) {
    EXPECT_EQ(saves(names), Why(names).empty()) << names.back();
  }
}

TEST(TryToSave, LeavesNothing) {
  const ScratchDirectory scratch;
  const CheckpointStore store(scratch.Path("checkpoints"), 0);
  for (const bool with_link : {false, true}) {
    EXPECT_TRUE(store.TryToSave(1000, with_link).ok());
    EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
    std::filesystem::create_directory(scratch.Path("checkpoints"));
    EXPECT_TRUE(store.TryToSave(1000, with_link).ok());
    EXPECT_TRUE(std::filesystem::is_empty(scratch.Path("checkpoints")));
    const Status status = store.TryToSave(uint64_t{1} << 62, with_link);
    EXPECT_EQ(status.code(), Code::kIo);
    EXPECT_THAT(status.message(), HasSubstr("a checkpoint of this job has 4611686018427387904 bytes, and "));
    EXPECT_TRUE(std::filesystem::is_empty(scratch.Path("checkpoints")));
    std::filesystem::remove(scratch.Path("checkpoints"));
  }
}

TEST(TryToSave, SaysWhatStandsInTheWay) {
  const ScratchDirectory scratch;
  scratch.Write("file", "mine");
  EXPECT_THAT(CheckpointStore(scratch.Path("file"), 0).TryToSave(1, false).message(), HasSubstr("a file stands there"));
  std::filesystem::create_symlink("nowhere", scratch.Path("link"));
  EXPECT_THAT(CheckpointStore(scratch.Path("link"), 0).TryToSave(1, false).message(), HasSubstr("a link stands there"));
  const std::string long_path = scratch.Path(std::string(300, 'x'));
  EXPECT_EQ(CheckpointStore(long_path, 0).TryToSave(1, false).code(), Code::kIo);
}

}  // namespace
}  // namespace dfrun
