// The files by which TensorFlow reads a checkpoint, read again by a reader of this test's own that follows LevelDB's
// description of tables.
#include "src/checkpoint/tensorflow_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <map>

#include "src/base/crc32c.h"
#include "src/base/file.h"
#include "src/checkpoint/manifest_file.h"
#include "src/checkpoint/store.h"
#include "src/checkpoint/tensorflow/bundle.pb.h"
#include "src/checkpoint/tensorflow/sorted_table.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

uint64_t TakeVarint(std::string_view& bytes) {
  uint64_t number = 0;
  for (int shift = 0; !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[0]);
    bytes.remove_prefix(1);
    number |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return number;
}

uint32_t Fixed(std::string_view bytes, size_t at) {
  uint32_t number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

struct Table {
  std::map<std::string, std::string> entries;
  size_t blocks = 0;
  size_t restarts = 0;
  bool in_order = true;
};

// The entries of a block; false where its checksum does not fit.
bool ReadBlock(std::string_view table, std::string_view handle,
               std::vector<std::pair<std::string, std::string>>& entries, size_t* restarts = nullptr) {
  const uint64_t offset = TakeVarint(handle);
  const uint64_t size = TakeVarint(handle);
  if (offset + size + 5 > table.size()) return false;
  const std::string_view block = table.substr(offset, size);
  const std::string_view stored = table.substr(offset, size + 1);
  const uint32_t crc = Crc32c(stored.data(), stored.size());
  if (table[offset + size] != 0 || Fixed(table, offset + size + 1) != (crc >> 15 | crc << 17) + 0xa282ead8U)
    return false;
  const uint32_t count = Fixed(block, size - 4);
  if (restarts != nullptr) *restarts += count;
  std::string_view rest = block.substr(0, size - 4 - 4 * count);
  std::string key;
  while (!rest.empty()) {
    const uint64_t shared = TakeVarint(rest);
    const uint64_t more = TakeVarint(rest);
    const uint64_t value = TakeVarint(rest);
    key = key.substr(0, shared) + std::string(rest.substr(0, more));
    entries.emplace_back(key, std::string(rest.substr(more, value)));
    rest.remove_prefix(more + value);
  }
  return true;
}

std::optional<Table> ReadTable(const std::string& bytes) {
  if (bytes.size() < 48 || !bytes.ends_with(std::string_view("\x57\xfb\x80\x8b\x24\x75\x47\xdb", 8))) return {};
  std::string_view footer = std::string_view(bytes).substr(bytes.size() - 48);
  std::vector<std::pair<std::string, std::string>> none, blocks, entries;
  if (!ReadBlock(bytes, footer, none) || !none.empty()) return {};
  TakeVarint(footer);
  TakeVarint(footer);
  if (!ReadBlock(bytes, footer, blocks)) return {};
  Table table;
  for (const auto& [last, handle] : blocks) {
    if (!ReadBlock(bytes, handle, entries, &table.restarts)) return {};
    table.in_order &= entries.back().first <= last;
  }
  table.blocks = blocks.size();
  for (size_t i = 1; i < entries.size(); ++i) table.in_order &= entries[i - 1].first < entries[i].first;
  table.entries.insert(entries.begin(), entries.end());
  return table;
}

TEST(SortedTable, HoldsItsEntriesInOrder) {
  for (const int count : {0, 1, 15, 16, 17, 5000}) {
    SortedTable writer;
    std::map<std::string, std::string> wanted;
    for (int i = 0; i < count; ++i) {
      wanted[StrCat(i % 3 == 0 ? "layer/" : "\xff/", i)] = std::string(static_cast<size_t>(i % 50), 'v');
    }
    wanted[""] = "header";
    for (const auto& [key, value] : wanted) writer.Add(key, value);
    const std::optional<Table> table = ReadTable(writer.Finish());
    ASSERT_TRUE(table) << count;
    EXPECT_EQ(table->entries, wanted);
    EXPECT_TRUE(table->in_order);
    EXPECT_EQ(table->blocks > 1, count == 5000);
    EXPECT_GE(table->restarts, wanted.size() / 16);
  }
}

class TensorFlowFiles : public testing::Test {
 protected:
  // Two shards, of which the second holds strings.
  Result<Manifest> Write() {
    const NamedTensor first[] = {{"h1/W", Tensor::Vector<float>({1, 2, 3})},
                                 {"h1/W/Momentum", Tensor::Vector<float>({0, 0, 1})},
                                 {"big", Tensor(DType::kDouble, Shape({32, 32}))},
                                 {"empty", Tensor(DType::kInt32, Shape({0, 5}))}};
    const NamedTensor second[] = {
        {"step", Tensor::Scalar<int64_t>(7)},
        {"keys", Tensor::Vector<std::string>({"a", std::string(200, 'b'), std::string("\0", 1)})},
        {"none", Tensor(DType::kString, Shape({0}))}};
    const std::vector<std::string> texts = NamesOfTextsFiles({false, true});
    EXPECT_THAT(texts, testing::ElementsAre("", "tf.data-00002-of-00003"));
    Manifest manifest;
    DF_ASSIGN(ShardEntry shard, WriteShard(files_.path(), "shard-0.h5", first, texts[0]));
    manifest.shards.push_back(std::move(shard));
    DF_ASSIGN(shard, WriteShard(files_.path(), "shard-1.h5", second, texts[1]));
    DF_ASSIGN(shard, ShardEntry::Parse(shard.Serialize()));
    manifest.shards.push_back(std::move(shard));
    DF_TRY(WriteTensorFlowFiles(files_.path(), manifest));
    DF_TRY(WriteManifest(files_.path(), manifest));
    return manifest;
  }

  std::string Read(const std::string& name) const { return *ReadFile(files_.Path(name), SIZE_MAX); }

  const ScratchDirectory files_;
};

TEST_F(TensorFlowFiles, TheTableLeadsToTheBytesOfEveryVariable) {
  const Result<Manifest> manifest = Write();
  ASSERT_TRUE(manifest.ok()) << manifest.status().ToString();
  const std::optional<Table> table = ReadTable(Read("tf.index"));
  ASSERT_TRUE(table);
  ASSERT_EQ(table->entries.size(), 8U);
  tensorflow_bundle::Header header;
  ASSERT_TRUE(header.ParseFromString(table->entries.at("")));
  EXPECT_EQ(header.num_shards(), 3);
  EXPECT_EQ(header.version().producer(), 1);
  for (const auto& [name, value] : table->entries) {
    if (name.empty()) continue;
    tensorflow_bundle::Entry entry;
    ASSERT_TRUE(entry.ParseFromString(value));
    const std::string file = Read(StrCat("tf.data-0000", entry.shard_id(), "-of-00003"));
    const std::string bytes = file.substr(static_cast<size_t>(entry.offset()), static_cast<size_t>(entry.size()));
    ASSERT_EQ(bytes.size(), static_cast<size_t>(entry.size())) << name;
    if (entry.dtype() == static_cast<int>(DType::kString)) continue;
    EXPECT_EQ(entry.crc32c(), MaskCrc32c(Crc32c(bytes.data(), bytes.size()))) << name;
    size_t shard = 0;
    const SavedVariable* const saved = manifest->Find(name, &shard);
    ASSERT_NE(saved, nullptr) << name;
    ASSERT_EQ(entry.shape().dim_size(), saved->shape.rank());
    for (int i = 0; i < saved->shape.rank(); ++i) EXPECT_EQ(entry.shape().dim(i).size(), saved->shape[i]);
    const auto values = ReadShard(files_.Path(StrCat("shard-", shard, ".h5")), {saved, 1}, SystemAllocator());
    ASSERT_TRUE(values.ok()) << values.status().ToString();
    EXPECT_EQ(bytes, std::string(static_cast<const char*>((*values)[0].raw()), bytes.size())) << name;
  }
}

// The lengths, their masked checksum, and the bytes; the entry's checksum goes over the lengths as 32 bits.
TEST_F(TensorFlowFiles, StringsLieInAFileOfTheirOwn) {
  ASSERT_TRUE(Write().ok());
  const std::optional<Table> table = ReadTable(Read("tf.index"));
  tensorflow_bundle::Entry entry;
  ASSERT_TRUE(entry.ParseFromString(table->entries.at("keys")));
  EXPECT_EQ(entry.shard_id(), 2);
  const std::string lengths("\x01\0\0\0\xc8\0\0\0\x01\0\0\0", 12);
  const uint32_t masked = MaskCrc32c(Crc32c(lengths.data(), lengths.size()));
  const std::string word(reinterpret_cast<const char*>(&masked), sizeof masked);
  const std::string texts = "a" + std::string(200, 'b') + std::string("\0", 1);
  EXPECT_EQ(Read("tf.data-00002-of-00003").substr(0, static_cast<size_t>(entry.size())),
            std::string("\x01\xc8\x01\x01", 4) + word + texts);
  const std::string all = lengths + word + texts;
  EXPECT_EQ(entry.crc32c(), MaskCrc32c(Crc32c(all.data(), all.size())));
  ASSERT_TRUE(entry.ParseFromString(table->entries.at("none")));
  EXPECT_EQ(entry.size(), 4);
}

TEST_F(TensorFlowFiles, AreListedAndLinksAreNotFollowed) {
  const Result<Manifest> manifest = Write();
  ASSERT_TRUE(manifest.ok());
  std::vector<std::string> names;
  for (const SavedFile& file : manifest->files) {
    names.push_back(file.name);
    EXPECT_EQ(fs::is_symlink(files_.Path(file.name)), file.link.has_value());
    if (file.link) {
      EXPECT_EQ(fs::read_symlink(files_.Path(file.name)), *file.link);
    }
  }
  EXPECT_THAT(names, testing::ElementsAre("tf.data-00000-of-00003", "tf.data-00001-of-00003", "tf.data-00002-of-00003",
                                          "tf.index"));
  EXPECT_TRUE(CheckpointStore::Open(files_.path()).ok());
  fs::remove(files_.Path("tf.data-00000-of-00003"));
  EXPECT_TRUE(CheckpointStore::Open(files_.path()).ok()) << "no link is needed";
  fs::create_symlink("/dev/zero", files_.Path("tf.data-00000-of-00003"));
  EXPECT_TRUE(CheckpointStore::Open(files_.path()).ok()) << "none is followed";
  for (const char* name : {"tf.index", "tf.data-00002-of-00003"}) {
    std::string bytes = Read(name);
    for (const size_t at : {size_t{0}, bytes.size() / 2, bytes.size() - 1}) {
      bytes[at] = static_cast<char>(bytes[at] ^ 1);
      files_.Write(name, bytes);
      EXPECT_EQ(CheckpointStore::Open(files_.path()).status().code(), Code::kDataLoss) << name << " " << at;
      bytes[at] = static_cast<char>(bytes[at] ^ 1);
      files_.Write(name, bytes);
    }
  }
  EXPECT_TRUE(CheckpointStore::Open(files_.path()).ok());
}

TEST_F(TensorFlowFiles, ABlockWithAFlippedBitIsSeen) {
  ASSERT_TRUE(Write().ok());
  const std::string index = Read("tf.index");
  for (size_t at = 0; at < index.size() - 48; ++at) {
    std::string flipped = index;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    EXPECT_FALSE(ReadTable(flipped)) << at;
  }
}

TEST_F(TensorFlowFiles, LargeDataBeginAtAPage) {
  const Result<Manifest> manifest = Write();
  ASSERT_TRUE(manifest.ok());
  size_t shard = 0;
  EXPECT_EQ(*manifest->Find("big", &shard)->offset % 4096, 0U);
  EXPECT_FALSE(manifest->Find("empty", &shard)->offset);
  EXPECT_FALSE(manifest->Find("keys", &shard)->offset);
}

// The bytes of a variable are those at its offset, wherever HDF5 says that they are.
TEST_F(TensorFlowFiles, AVariableHasItsPlaceAndItsChecksum) {
  const Result<Manifest> manifest = Write();
  ASSERT_TRUE(manifest.ok());
  size_t shard = 0;
  SavedVariable w = *manifest->Find("h1/W", &shard);
  const auto why = [&] { return ReadShard(files_.Path("shard-0.h5"), {&w, 1}, SystemAllocator()).status(); };
  EXPECT_TRUE(why().ok());
  w.crc32c = *w.crc32c ^ 1;
  EXPECT_EQ(why().code(), Code::kDataLoss);
  EXPECT_THAT(why().message(), HasSubstr("variable 'h1/W'"));
  w.crc32c.reset();
  w.offset = *w.offset + 4;
  EXPECT_EQ(why().code(), Code::kDataLoss);
  EXPECT_EQ(CheckShard(files_.Path("shard-0.h5"), {&w, 1}).code(), Code::kDataLoss);
  SavedVariable keys = *manifest->Find("keys", &shard);
  keys.crc32c = *keys.crc32c ^ 1;
  EXPECT_EQ(ReadShard(files_.Path("shard-1.h5"), {&keys, 1}, SystemAllocator()).status().code(), Code::kDataLoss);
}

TEST_F(TensorFlowFiles, OddBoolsAreStoredAsTheyAreRead) {
  Tensor odd(DType::kBool, Shape({4}));
  std::memcpy(odd.raw(), "\0\1\2\xff", 4);
  const NamedTensor variables[] = {{"b", odd}};
  const auto entry = WriteShard(files_.path(), "shard-0.h5", variables);
  ASSERT_TRUE(entry.ok()) << entry.status().ToString();
  const auto values = ReadShard(files_.Path("shard-0.h5"), entry->variables, SystemAllocator());
  ASSERT_TRUE(values.ok()) << values.status().ToString();
  EXPECT_EQ(std::memcmp((*values)[0].raw(), "\0\1\1\1", 4), 0);
}

}  // namespace
}  // namespace dfrun
