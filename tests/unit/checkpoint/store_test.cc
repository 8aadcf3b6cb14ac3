#include "src/checkpoint/store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "src/base/hdf5.h"
#include "src/framework/tensor_hdf5.h"
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

  // Changes a byte of what the checkpoint of `step` holds.
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
  const auto w = ReadTensor(*file, "index.h5", "/a/w:0", SystemAllocator());
  const auto slot = ReadTensor(*file, "index.h5", "/a/w/Momentum:0", SystemAllocator());
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
  std::ofstream(Path("step-2/manifest.json")) << "{\n \"format\": 3,\n \"pieces\": [],\n"
                                                 " \"checksum\": \"crc32c:a498085d\"\n}\n";
  const Status status = store.FindNewest().status();
  EXPECT_EQ(status.code(), Code::kBadSpec);
  EXPECT_NE(status.message().find("has format 3, and this program reads 1 and 2"), std::string::npos)
      << status.message();
}

TEST_F(StoreTest, DamagedNewerOnesTakeNoPlaceOfGoodOnes) {
  CheckpointStore store(scratch_.path(), 1);
  Save(store, 5);
  Damage(5);
  Save(store, 3);  // of a job that went on from an older one
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
  fs::rename(Path("step-4"), Path("step-4.old"));  // as a crash between the two renames leaves it
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

TEST_F(StoreTest, NoCheckpointIsNoError) {
  CheckpointStore store(scratch_.path(), 0);
  const auto newest = store.FindNewest();
  ASSERT_TRUE(newest.ok());
  EXPECT_FALSE(newest->has_value());
}

}  // namespace
}  // namespace dfrun
