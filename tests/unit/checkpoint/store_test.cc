#include "src/checkpoint/store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "src/base/file.h"
#include "src/hdf5/hdf5.h"
#include "src/hdf5/tensor_hdf5.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

namespace fs = std::filesystem;

class StoreTest : public testing::Test {
 protected:
  // Saves w = [step, step + 1] as the checkpoint of `step`.
  void Save(CheckpointStore& store, int64_t step) {
    const auto directory = store.Begin(step);
    ASSERT_TRUE(directory.ok()) << directory.status().ToString();
    const float first = static_cast<float>(step);
    const NamedTensor variables[] = {{"a/w", Tensor::Vector<float>({first, first + 1})},
                                     {"a/w/Momentum", Tensor::Scalar<int64_t>(step)}};
    const auto entry = WriteShard(*directory, "shard-0.h5", variables);
    ASSERT_TRUE(entry.ok()) << entry.status().ToString();
    const auto arrived = ShardEntry::Parse(entry->Serialize());
    ASSERT_TRUE(arrived.ok());
    const Status committed = store.Commit({step, {*arrived}});
    ASSERT_TRUE(committed.ok()) << committed.ToString();
  }

  // Changes a byte in the checkpoint of `step`.
  void Damage(int64_t step) const {
    const std::string shard = Path(StrCat("step-", step, "/shard-0.h5"));
    std::fstream file(shard, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(fs::file_size(shard)) - 3);
    file.put('\x5a');
  }

  std::string Path(const std::string& name) const { return scratch_.Path(name); }

  const ScratchDirectory scratch_;
};

TEST_F(StoreTest, NewestComesBackWithItsValues) {
  CheckpointStore store(scratch_.path(), 0);
  Save(store, 5);
  Save(store, 12);
  const auto newest = store.FindNewest();
  ASSERT_TRUE(newest.ok() && newest->has_value());
  EXPECT_EQ((*newest)->manifest.step, 12);
  const SavedVariable wanted[] = {{"a/w", DType::kFloat, Shape({2})}};
  const auto values = ReadShard((*newest)->directory + "/shard-0.h5", wanted, SystemAllocator());
  ASSERT_TRUE(values.ok()) << values.status().ToString();
  EXPECT_TRUE((*values)[0].Identical(Tensor::Vector<float>({12, 13})));
}

TEST_F(StoreTest, AVariableCanStandBesideItsSlotAndTheIndexShowsBoth) {
  CheckpointStore store(scratch_.path(), 0);
  Save(store, 1);
  const auto file = h5::OpenFile(Path("step-1/index.h5"));
  ASSERT_TRUE(file.ok());
  const auto w = ReadTensor(*file, Path("step-1/index.h5"), "/a/w:0", SystemAllocator());
  const auto slot = ReadTensor(*file, Path("step-1/index.h5"), "/a/w/Momentum:0", SystemAllocator());
  ASSERT_TRUE(w.ok()) << w.status().ToString();
  ASSERT_TRUE(slot.ok()) << slot.status().ToString();
  EXPECT_EQ(slot->scalar<int64_t>(), 1);
}

TEST_F(StoreTest, KeepsTheNewestOnly) {
  CheckpointStore store(scratch_.path(), 2);
  for (int64_t step : {1, 2, 3}) Save(store, step);
  EXPECT_FALSE(fs::exists(Path("step-1")));
  EXPECT_TRUE(fs::exists(Path("step-2")));
  EXPECT_TRUE(fs::exists(Path("step-3")));
}

TEST_F(StoreTest, ADamagedNewestIsPassedOver) {
  CheckpointStore store(scratch_.path(), 0);
  Save(store, 1);
  Save(store, 2);
  Damage(2);
  const auto newest = store.FindNewest();
  ASSERT_TRUE(newest.ok() && newest->has_value());
  EXPECT_EQ((*newest)->manifest.step, 1);
  EXPECT_EQ(CheckpointStore::Open(Path("step-2")).status().code(), Code::kDataLoss);
}

TEST_F(StoreTest, DamagedOnesAloneAreAnErrorAndNoNewBeginning) {
  CheckpointStore store(scratch_.path(), 0);
  Save(store, 1);
  Save(store, 2);
  Damage(1);
  fs::remove(Path("step-2/manifest.json"));
  const Status status = store.FindNewest().status();
  EXPECT_EQ(status.code(), Code::kDataLoss);
  EXPECT_NE(status.message().find("step-2"), std::string::npos) << status.message();
}

TEST_F(StoreTest, AnotherFormatIsAnErrorThatNamesIt) {
  CheckpointStore store(scratch_.path(), 0);
  Save(store, 1);
  Save(store, 2);
  // The crc32c was worked out by another program.
  std::ofstream(Path("step-2/manifest.json")) << "{\n \"format\": 4,\n \"pieces\": [],\n"
                                                 " \"checksum\": \"crc32c:8887068c\"\n}\n";
  const Status status = store.FindNewest().status();
  EXPECT_EQ(status.code(), Code::kBadSpec);
  EXPECT_NE(status.message().find("has format 4, and this program reads 1 to 3"), std::string::npos)
      << status.message();
}

TEST_F(StoreTest, DamagedNewerOnesTakeNoPlaceOfGoodOnes) {
  CheckpointStore store(scratch_.path(), 1);
  Save(store, 5);
  Damage(5);
  Save(store, 3);  // saved by a job that resumed at an older checkpoint
  const auto newest = store.FindNewest();
  ASSERT_TRUE(newest.ok() && newest->has_value());
  EXPECT_EQ((*newest)->manifest.step, 3);
}

TEST_F(StoreTest, WhatWasCutShortIsIgnored) {
  CheckpointStore store(scratch_.path(), 0);
  Save(store, 1);
  ASSERT_TRUE(store.Begin(2).ok());
  EXPECT_EQ((*store.FindNewest())->manifest.step, 1);
}

TEST_F(StoreTest, AStepThatIsBeingReplacedCountsUnderItsOldName) {
  CheckpointStore store(scratch_.path(), 0);
  Save(store, 4);
  fs::rename(Path("step-4"), Path("step-4.old"));  // a crash between the two renames leaves this
  EXPECT_EQ((*store.FindNewest())->manifest.step, 4);
  Save(store, 4);
  EXPECT_TRUE(fs::exists(Path("step-4")));
  EXPECT_FALSE(fs::exists(Path("step-4.old")));
}

TEST_F(StoreTest, AManifestThatPointsOutsideIsRefused) {
  CheckpointStore store(scratch_.path(), 0);
  Save(store, 1);
  std::ofstream(Path("step-1/manifest.json"))
      << R"({"format": 1, "step": "1", "shards": [{"file": "../../etc/passwd", "bytes": "1", "crc32c": 0}]})";
  EXPECT_EQ(CheckpointStore::Open(Path("step-1")).status().code(), Code::kDataLoss);
}

// Other programs may leave files and directories whose names look like checkpoints.
TEST_F(StoreTest, WhatIsNoCheckpointsDirectoryIsPassedOver) {
  CheckpointStore store(scratch_.path(), 0);
  Save(store, 4);
  scratch_.Write("step-900", "a file");
  ASSERT_EQ(::mkfifo(Path("step-901").c_str(), 0600), 0);
  fs::create_symlink(Path("nowhere"), Path("step-902"));
  fs::create_symlink(Path("step-4"), Path("step-903"));
  fs::create_directory(Path("step-904"));
  fs::copy(Path("step-4"), Path("step-90"), fs::copy_options::recursive);
  fs::create_directory(Path("step-0905"));
  fs::create_directory(Path("step-99999999999999999999"));
  fs::create_directory(Path("step-906.mine"));
  ASSERT_EQ(::mkfifo(Path("step-904/manifest.json").c_str(), 0600), 0);
  const auto newest = store.FindNewest();
  ASSERT_TRUE(newest.ok() && newest->has_value()) << newest.status().ToString();
  EXPECT_EQ((*newest)->directory, Path("step-4"));
}

TEST_F(StoreTest, NothingButStraysIsNoCheckpoint) {
  CheckpointStore store(scratch_.path(), 0);
  scratch_.Write("step-900", "a file");
  const auto none = store.FindNewest();
  EXPECT_TRUE(none.ok() && !none->has_value());
  // A link may have been made by a user who moved the checkpoint: no reason to begin anew.
  fs::create_directory(Path("moved"));
  fs::create_symlink(Path("moved"), Path("step-7"));
  EXPECT_EQ(store.FindNewest().status().code(), Code::kDataLoss);
}

TEST_F(StoreTest, ACopyHasAnyNameElsewhere) {
  CheckpointStore store(Path("run"), 0);
  Save(store, 44);
  fs::copy(Path("run/step-44"), Path("run/step-90"), fs::copy_options::recursive);
  fs::copy(Path("run/step-44"), Path("best"), fs::copy_options::recursive);
  EXPECT_EQ((*store.FindNewest())->manifest.step, 44);
  EXPECT_TRUE(CheckpointStore::Open(Path("best")).ok());
  EXPECT_TRUE(CheckpointStore::Open(Path("run/step-90")).ok());
}

TEST_F(StoreTest, ADamagedStepFallsBackToTheOneThatItReplaced) {
  CheckpointStore store(scratch_.path(), 0);
  Save(store, 4);
  fs::copy(Path("step-4"), Path("step-4.old"), fs::copy_options::recursive);
  Damage(4);
  EXPECT_EQ((*store.FindNewest())->directory, Path("step-4.old"));
  fs::remove_all(Path("step-4"));
  scratch_.Write("step-4", "a file");
  EXPECT_EQ((*store.FindNewest())->directory, Path("step-4.old"));
}

// The damage is any bit of a manifest or a shard, a cut file, or a file that is something else.
TEST_F(StoreTest, EveryKindOfDamageFallsBack) {
  CheckpointStore store(scratch_.path(), 0);
  Save(store, 1);
  Save(store, 2);
  const auto expect_older = [&](const std::string& what) {
    const auto newest = store.FindNewest();
    ASSERT_TRUE(newest.ok() && newest->has_value()) << what << ": " << newest.status().ToString();
    EXPECT_EQ((*newest)->manifest.step, 1) << what;
  };
  for (const char* name : {"manifest.json", "shard-0.h5"}) {
    const std::string path = Path(StrCat("step-2/", name));
    const std::string bytes = *ReadFile(path, SIZE_MAX);
    for (size_t i = 0; i < bytes.size(); i += 13) {
      std::string flipped = bytes;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << (i % 8)));
      scratch_.Write(StrCat("step-2/", name), flipped);
      expect_older(StrCat(name, " byte ", i));
      scratch_.Write(StrCat("step-2/", name), bytes.substr(0, i));
      expect_older(StrCat(name, " cut at ", i));
    }
    fs::remove(path);
    expect_older(StrCat("no ", name));
    fs::create_directory(path);
    expect_older(StrCat(name, " a directory"));
    fs::remove(path);
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    expect_older(StrCat(name, " a pipe"));
    fs::remove(path);
    fs::create_symlink(Path(StrCat("step-1/", name)), path);
    expect_older(StrCat(name, " a link"));
    fs::remove(path);
    fs::create_symlink("/dev/zero", path);
    expect_older(StrCat(name, " a link to a device"));
    fs::remove(path);
    scratch_.Write(StrCat("step-2/", name), bytes);
  }
  EXPECT_EQ((*store.FindNewest())->manifest.step, 2);
}

TEST_F(StoreTest, WhatDoesNotFitIsPassedOverToo) {
  CheckpointStore store(scratch_.path(), 0);
  Save(store, 1);
  Save(store, 2);
  const auto only = [](int64_t step) {
    return [step](const CheckpointStore::Checkpoint& c) {
      return c.manifest.step == step ? Status() : Error(Code::kBadSpec, "no variable 'w'");
    };
  };
  EXPECT_EQ((*store.FindNewest(only(1)))->manifest.step, 1);
  const Status none = store.FindNewest(only(3)).status();
  EXPECT_EQ(none.code(), Code::kBadSpec);
  EXPECT_EQ(none.message(), "no variable 'w'; nor do older ones fit, 1 in all");
}

TEST_F(StoreTest, ADirectoryThatCannotBeListedIsAnError) {
  scratch_.Write("file", "");
  EXPECT_EQ(CheckpointStore(Path("file"), 0).FindNewest().status().code(), Code::kIo);
  EXPECT_EQ(CheckpointStore(Path("file/checkpoints"), 0).FindNewest().status().code(), Code::kIo);
  fs::create_symlink(Path("loop"), Path("loop"));
  EXPECT_EQ(CheckpointStore(Path("loop"), 0).FindNewest().status().code(), Code::kIo);
}

TEST_F(StoreTest, OneStepIsFoundOrTheStepsThereAreNamed) {
  CheckpointStore store(scratch_.path(), 0);
  for (int64_t step : {5, 10, 15}) Save(store, step);
  EXPECT_EQ(store.FindStep(10)->manifest.step, 10);
  const Status missing = store.FindStep(11).status();
  EXPECT_EQ(missing.code(), Code::kUsage);
  EXPECT_NE(missing.message().find("there are those of steps 5, 10, 15"), std::string::npos) << missing.message();
  Damage(10);
  EXPECT_EQ(store.FindStep(10).status().code(), Code::kDataLoss);
}

TEST_F(StoreTest, LaterStepsAreSetAsideAndKept) {
  CheckpointStore store(scratch_.path(), 0);
  for (int64_t step : {5, 10, 15}) Save(store, step);
  scratch_.Write("step-15.aside-1", "someone's");
  const auto names = store.SetAsideAfter(5);
  ASSERT_TRUE(names.ok()) << names.status().ToString();
  EXPECT_EQ(*names, (std::vector<std::string>{Path("step-15.aside-2"), Path("step-10.aside-1")}));
  EXPECT_EQ((*store.FindNewest())->manifest.step, 5);
  EXPECT_TRUE(CheckpointStore::Open(Path("step-15.aside-2")).ok());
}

TEST_F(StoreTest, ALatestThatCannotBeWrittenEndsNoJob) {
  CheckpointStore store(scratch_.path(), 0);
  scratch_.Write("mine", "mine");
  fs::create_symlink(Path("mine"), Path("LATEST"));
  Save(store, 1);
  EXPECT_EQ(*ReadFile(Path("mine"), 100), "mine");
  EXPECT_TRUE(fs::is_symlink(Path("LATEST")));
}

TEST_F(StoreTest, NoCheckpointIsNoError) {
  CheckpointStore store(scratch_.path(), 0);
  const auto newest = store.FindNewest();
  ASSERT_TRUE(newest.ok());
  EXPECT_FALSE(newest->has_value());
}

}  // namespace
}  // namespace dfrun
