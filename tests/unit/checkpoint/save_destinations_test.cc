// An existing file or directory where a checkpoint is to be saved stays, unless it is a checkpoint and nothing else.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>

#include "src/checkpoint/directory_swap.h"
#include "src/checkpoint/removable.h"
#include "src/checkpoint/store.h"
#include "src/checkpoint/temporary_name.h"
#include "tests/unit/testing/node_runner.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

namespace fs = std::filesystem;
using testing::Input;
using testing::NodeRunner;

class SaveDestinations : public ::testing::Test {
 protected:
  Status Run(const std::string& op, const std::vector<Input>& inputs, const AttrMap& attrs = {}) {
    return runner_.Run(NodeRunner::Way::kUnknownShapes, op, attrs, inputs).status();
  }
  Status Save(const std::string& name, float value = 1) {
    return Run("SaveV2", {Tensor::Scalar(Path(name)), Tensor::Vector<std::string>({"w"}),
                          Tensor::Vector<std::string>({""}), Tensor::Scalar(value)});
  }
  Status Merge(const std::vector<std::string>& parts, const std::string& destination, bool allow_missing = false) {
    std::vector<std::string> paths;
    for (const std::string& part : parts) paths.push_back(Path(part));
    return Run("MergeV2Checkpoints",
               {Tensor::Vector<std::string>(std::span<const std::string>(paths)), Tensor::Scalar(Path(destination))},
               {{"allow_missing_files", allow_missing}});
  }
  float Saved(const std::string& name) {
    const auto values = runner_.Run(
        NodeRunner::Way::kUnknownShapes, "RestoreV2", {{"dtypes", std::vector<DType>{DType::kFloat}}},
        {Tensor::Scalar(Path(name)), Tensor::Vector<std::string>({"w"}), Tensor::Vector<std::string>({""})});
    return values.ok() ? (*values)[0].scalar<float>() : -1;
  }
  // Returns every path below the scratch directory with kind, mode, size and the targets of links.
  std::map<std::string, std::string> Listing() const {
    std::map<std::string, std::string> listing;
    for (const auto& entry : fs::recursive_directory_iterator(scratch_.path())) {
      struct stat info;
      EXPECT_EQ(::lstat(entry.path().c_str(), &info), 0);
      std::string what = StrCat(info.st_mode, " ", info.st_ino, " ", S_ISREG(info.st_mode) ? info.st_size : 0);
      if (entry.is_symlink()) what += " " + fs::read_symlink(entry.path()).string();
      listing[entry.path().string()] = what;
    }
    return listing;
  }
  std::string Path(const std::string& name) const { return scratch_.Path(name); }

  const ScratchDirectory scratch_;
  NodeRunner runner_;
};

TEST_F(SaveDestinations, WhatIsNoCheckpointStays) {
  ASSERT_TRUE(Save("whole").ok());
  scratch_.Write("file", "text");
  scratch_.Write("work/notes", "text");
  fs::create_directory(Path("empty"));
  fs::create_symlink(Path("whole"), Path("link"));
  fs::create_symlink(Path("absent"), Path("dangling"));
  ASSERT_EQ(::mkfifo(Path("pipe").c_str(), 0600), 0);
  for (const char* name : {"extra", "linked_shard", "sub", "other_format", "no_manifest"}) {
    ASSERT_TRUE(Save(name).ok());
  }
  scratch_.Write("extra/notes", "text");
  fs::rename(Path("linked_shard/shard-0.h5"), Path("elsewhere.h5"));
  fs::create_symlink(Path("elsewhere.h5"), Path("linked_shard/shard-0.h5"));
  fs::create_directory(Path("sub/shard-1.h5"));
  scratch_.Write("other_format/manifest.json", "{\"format\": 99}");
  fs::remove(Path("no_manifest/manifest.json"));
  const auto before = Listing();
  for (const char* name : {"file",
                           "file/",
                           "work",
                           "work/",
                           "empty",
                           "link",
                           "link/",
                           "dangling",
                           "dangling/",
                           "pipe",
                           "extra",
                           "linked_shard",
                           "sub",
                           "other_format",
                           "no_manifest",
                           "whole/inner",
                           "whole/inner/model",
                           "file/model",
                           ".",
                           "..",
                           "work/.",
                           "work/..",
                           "/"}) {
    const Status status = Save(name);
    EXPECT_TRUE(status.code() == Code::kIo || status.code() == Code::kInvalidArgument) << name << status.ToString();
    EXPECT_FALSE(Merge({"whole"}, name).ok()) << name;
    EXPECT_EQ(Listing(), before) << name;
  }
  EXPECT_NE(Save("extra").message().find("'notes', which is no part of a checkpoint"), std::string::npos)
      << Save("extra").message();
  EXPECT_NE(Save("link").message().find("a link stands there"), std::string::npos) << Save("link").message();
}

TEST_F(SaveDestinations, NeighboursAreLeftAlone) {
  ASSERT_TRUE(Save("model.old", 7).ok());
  scratch_.Write("model.tmp/notes", "text");
  scratch_.Write("model.tmp-host-1-1/shard-0.h5", "text");
  const auto before = Listing();
  ASSERT_TRUE(Save("model", 1).ok());
  ASSERT_TRUE(Save("model", 2).ok());
  EXPECT_EQ(Saved("model"), 2);
  fs::remove_all(Path("model"));
  EXPECT_EQ(Listing(), before);
}

TEST_F(SaveDestinations, ACheckpointIsReplacedWhateverNfsLeftInIt) {
  ASSERT_TRUE(Save("deep/down/model/", 1).ok());
  scratch_.Write("deep/down/model/.nfs000000001", "text");
  ASSERT_TRUE(Save("deep/down/../down/model", 2).ok());
  EXPECT_EQ(Saved("deep/down/model"), 2);
  EXPECT_EQ(std::distance(fs::directory_iterator(Path("deep/down")), fs::directory_iterator()), 1);
}

TEST_F(SaveDestinations, AFailedSaveLeavesNothing) {
  ASSERT_TRUE(Save("a").ok());
  const auto before = Listing();
  EXPECT_EQ(Merge({"a", "a"}, "merged").code(), Code::kInvalidArgument);
  EXPECT_EQ(Listing(), before);
}

TEST_F(SaveDestinations, OnlyMergedCheckpointsAreRemoved) {
  ASSERT_TRUE(Save("parts/a").ok());
  scratch_.Write("foreign/notes", "text");
  scratch_.Write("plain", "text");
  EXPECT_EQ(Merge({"foreign", "plain", "absent"}, "merged", true).code(), Code::kInvalidArgument);
  ASSERT_TRUE(Merge({"parts/a", "foreign", "plain", "absent"}, "merged", true).ok());
  EXPECT_EQ(Saved("merged"), 1);
  EXPECT_FALSE(fs::exists(Path("parts")));
  EXPECT_TRUE(fs::exists(Path("foreign/notes")));
  EXPECT_TRUE(fs::exists(Path("plain")));
}

TEST_F(SaveDestinations, AMergedPartWithAUsersFileStays) {
  ASSERT_TRUE(Save("parts/a").ok());
  scratch_.Write("parts/a/notes", "text");
  ASSERT_TRUE(Merge({"parts/a"}, "merged").ok());
  EXPECT_EQ(Saved("parts/a"), 1);
  EXPECT_TRUE(fs::exists(Path("parts/a/notes")));
}

TEST_F(SaveDestinations, APartThatIsTheDestinationIsReplacedByTheWhole) {
  ASSERT_TRUE(Save("a", 5).ok());
  ASSERT_TRUE(Merge({"./a"}, "a").ok());
  EXPECT_EQ(Saved("a"), 5);
}

TEST_F(SaveDestinations, AShardIsMadeNewAndHasAShardsName) {
  scratch_.Write("shard-0.h5", "text");
  fs::create_symlink(Path("shard-0.h5"), Path("shard-1.h5"));
  const auto before = Listing();
  for (const char* file : {"shard-0.h5", "shard-1.h5", "../shard-2.h5", "notes"}) {
    const AttrMap attrs = {{"T", std::vector<DType>{DType::kFloat}},
                           {"names", std::vector<std::string>{"w"}},
                           {"file", std::string(file)}};
    EXPECT_FALSE(Run("SaveShard", {Tensor::Scalar(scratch_.path()), Tensor::Scalar(1.F)}, attrs).ok()) << file;
    EXPECT_EQ(Listing(), before) << file;
  }
}

TEST_F(SaveDestinations, WriteFileReplacesRegularFilesAlone) {
  scratch_.Write("file", "old");
  scratch_.Write("file.tmp", "a user's");
  fs::create_symlink(Path("file.tmp"), Path("link"));
  fs::create_directory(Path("directory"));
  ASSERT_EQ(::mkfifo(Path("pipe").c_str(), 0600), 0);
  const auto before = Listing();
  for (const char* name : {"link", "directory", "directory/", "pipe", "file/", "file/below", ".", "absent/"}) {
    EXPECT_FALSE(Run("WriteFile", {Tensor::Scalar(Path(name)), Tensor::Scalar(std::string("new"))}).ok()) << name;
    EXPECT_EQ(Listing(), before) << name;
  }
  ASSERT_TRUE(Run("WriteFile", {Tensor::Scalar(Path("file")), Tensor::Scalar(std::string("new"))}).ok());
  std::string text;
  std::getline(std::ifstream(Path("file")), text);
  EXPECT_EQ(text, "new");
  std::getline(std::ifstream(Path("file.tmp")), text);
  EXPECT_EQ(text, "a user's");
}

TEST_F(SaveDestinations, NamesOfOneProcessDifferAndTellTheOwner) {
  const std::string a = OwnName("x/step-3", kTemporaryMark);
  const std::string b = OwnName("x/step-3", kTemporaryMark);
  EXPECT_NE(a, b);
  const auto owner = OwnerOf(a, kTemporaryMark);
  ASSERT_TRUE(owner.has_value());
  EXPECT_EQ(owner->process, ::getpid());
  EXPECT_LE(OwnName("x/" + std::string(255, 'a'), kTemporaryMark).size(), 257U);
  for (const char* name :
       {"step-3.tmp", "step-3.tmp-", "step-3.tmp-1-2", "step-3.tmp-h-0-1", "step-3.tmp-h-x-1", "m"}) {
    EXPECT_FALSE(OwnerOf(name, kTemporaryMark).has_value()) << name;
  }
}

TEST_F(SaveDestinations, ARefusedSwapPutsBackWhatStoodThere) {
  fs::create_directory(Path("new"));
  scratch_.Write("old/notes", "text");
  const auto before = Listing();
  int asked = 0;
  std::vector<std::string> replaced;
  const Status status = SwapDirectory(
      Path("new"), Path("old"),
      [&](const std::string&) { return ++asked == 1 ? Status() : IoError("it has become another"); }, &replaced);
  EXPECT_EQ(status.code(), Code::kIo);
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(Listing(), before);
}

// Temporary directories of a process that was killed, and one with a name that no process gives.
class StaleTemporaries : public SaveDestinations {
 protected:
  void SaveStep(int64_t step, int keep = 0) {
    CheckpointStore store(scratch_.path(), keep);
    const auto directory = store.Begin(step);
    ASSERT_TRUE(directory.ok()) << directory.status().ToString();
    const NamedTensor variables[] = {{"w", Tensor::Scalar<int64_t>(step)}};
    const auto entry = WriteShard(*directory, "shard-0.h5", variables);
    ASSERT_TRUE(entry.ok()) << entry.status().ToString();
    const Status committed = store.Commit({step, {*entry}});
    ASSERT_TRUE(committed.ok()) << committed.ToString();
  }
  static std::string OfProcess(pid_t process) {
    std::string name = OwnName("step-9", kTemporaryMark);
    const std::string own = StrCat("-", ::getpid(), "-");
    return name.replace(name.find(own), own.size(), StrCat("-", process, "-"));
  }
};

TEST_F(StaleTemporaries, ThoseOfDeadProcessesGo) {
  constexpr pid_t kNone = 0x7ffffffe;  // beyond the kernel's largest number
  const std::string dead = OfProcess(kNone);
  const std::string mixed = OfProcess(kNone);
  const std::string alive = OfProcess(::getppid());
  const std::string other_host = "step-9.tmp-another.host-1-1";
  for (const std::string& name : {dead, mixed, alive, other_host, std::string("step-8.tmp"), std::string("mine.tmp")}) {
    scratch_.Write(name + "/shard-0.h5", "half");
    scratch_.Write(name + "/manifest.json.tmp-1", "half");
  }
  scratch_.Write(mixed + "/notes", "text");
  SaveStep(1);
  EXPECT_FALSE(fs::exists(Path(dead)));
  EXPECT_FALSE(fs::exists(Path("step-8.tmp")));
  EXPECT_TRUE(fs::exists(Path(mixed + "/shard-0.h5")));
  EXPECT_TRUE(fs::exists(Path(alive + "/shard-0.h5")));
  EXPECT_TRUE(fs::exists(Path(other_host + "/shard-0.h5")));
  EXPECT_TRUE(fs::exists(Path("mine.tmp/shard-0.h5")));
}

TEST_F(StaleTemporaries, OneThatIsBeingWrittenStays) {
  CheckpointStore store(scratch_.path(), 0);
  const auto directory = store.Begin(9);
  ASSERT_TRUE(directory.ok());
  SaveStep(1);
  EXPECT_TRUE(fs::exists(*directory));
}

TEST_F(StaleTemporaries, ADirectoryWithAUsersFileOutlastsTheCheckpointsToKeep) {
  SaveStep(1);
  SaveStep(2);
  scratch_.Write("step-1/notes", "text");
  scratch_.Write("step-0", "a file");
  fs::copy(Path("step-2"), Path("step-1.old"), fs::copy_options::recursive);  // a copy of another step
  for (int64_t step : {3, 4}) SaveStep(step, 1);
  EXPECT_TRUE(fs::exists(Path("step-1/notes")));
  EXPECT_TRUE(fs::exists(Path("step-1/manifest.json")));
  EXPECT_TRUE(fs::exists(Path("step-1.old/manifest.json")));
  EXPECT_TRUE(fs::exists(Path("step-0")));
  EXPECT_FALSE(fs::exists(Path("step-2")));
  EXPECT_FALSE(fs::exists(Path("step-3")));
}

TEST_F(StaleTemporaries, AStepThatWasSetAsideUnderAnOwnNameCounts) {
  SaveStep(4);
  fs::rename(Path("step-4"), Path("step-4.old-another-1-1"));
  const CheckpointStore store(scratch_.path(), 0);
  const auto newest = store.FindNewest();
  ASSERT_TRUE(newest.ok() && newest->has_value());
  EXPECT_EQ((*newest)->manifest.step, 4);
  SaveStep(4);
  EXPECT_FALSE(fs::exists(Path("step-4.old-another-1-1")));
}

}  // namespace
}  // namespace dfrun
