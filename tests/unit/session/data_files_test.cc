#include "src/session/data_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "src/storage/hdf5_layout.h"
#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

class DataFilesTest : public ::testing::Test {
 protected:
  void Write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
  control::DataFile Look() const {
    Result<control::DataFile> found = LookAtDataFile(path_, "");
    EXPECT_TRUE(found.ok()) << found.status().ToString();
    return found.ok() ? *found : control::DataFile();
  }

  const ScratchDirectory scratch_;
  const std::string path_ = scratch_.Path("data.bin");
};

TEST_F(DataFilesTest, TheSameBytesAreTheSameFile) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{64} << 10, (size_t{9} << 20) + 17}) {
    Write(std::string(size, 'a'));
    const control::DataFile expected = Look();
    EXPECT_EQ(expected.bytes(), static_cast<int64_t>(size));
    Write(std::string(size, 'a'));
    EXPECT_TRUE(CheckDataFile(expected).ok());
  }
}

TEST_F(DataFilesTest, AnyByteOfASmallFileCounts) {
  const std::string bytes(size_t{3} << 20, 'a');
  Write(bytes);
  const control::DataFile expected = Look();
  for (const size_t at : {size_t{0}, size_t{70'000}, size_t{2'000'000}, bytes.size() - 1}) {
    std::string other = bytes;
    other[at] = 'b';
    Write(other);
    const Status status = CheckDataFile(expected).status();
    EXPECT_EQ(status.code(), Code::kNoInput) << at;
    EXPECT_NE(status.message().find(path_), std::string::npos) << status.message();
  }
}

TEST_F(DataFilesTest, BothEndsOfALargeFileCount) {
  const std::string bytes(size_t{40} << 20, 'a');
  Write(bytes);
  const control::DataFile expected = Look();
  for (const size_t at : {size_t{0}, bytes.size() - 1}) {
    std::string other = bytes;
    other[at] = 'b';
    Write(other);
    EXPECT_EQ(CheckDataFile(expected).status().code(), Code::kNoInput) << at;
  }
}

TEST_F(DataFilesTest, WhatIsMissingHereIsMissingInput) {
  Write("data");
  const control::DataFile expected = Look();
  std::filesystem::remove(path_);
  EXPECT_EQ(CheckDataFile(expected).status().code(), Code::kNoInput);
  EXPECT_FALSE(LookAtDataFile(path_, "").ok());
}

// Returns a graph with a reader of four files. Its layouts are those of rank 0's files, written by a process of `host`.
testing::GraphMaker MakeReader(const std::string& host, const FileVersion& told) {
  const std::string layout = SerializeLayout({told, {{"/x", {.dtype = DType::kFloat, .shape = Shape({2})}}}});
  testing::GraphMaker maker;
  maker.Add("read", "SampleReader", {maker.Scalar<int64_t>("position", 0)},
            {{"component_types", std::vector<DType>{DType::kFloat}},
             {"format", "hdf5"},
             {"files", std::vector<std::string>{"same", "other", "changed", "unknown"}},
             {"fields", std::vector<std::string>{"/x"}},
             {"sample_shapes", std::vector<PartialShape>{PartialShape(std::vector<int64_t>())}},
             {"shapes", std::vector<PartialShape>{PartialShape({2})}},
             {"layouts", SerializeLayouts({host, {layout, layout, layout, layout}})}});
  return maker;
}

TEST(AdoptLayouts, RanksElsewhereBelieveWhatWasCompared) {
  const FileVersion told{.device = 1, .inode = 2, .bytes = 9 << 20, .modified_ns = 7, .changed_ns = 8};
  FileVersion own{.device = 3, .inode = 4, .bytes = 9 << 20, .modified_ns = 7, .changed_ns = 9};
  FileVersion shorter = own;
  shorter.bytes = 8 << 20;
  FileVersion later = own;  // version of a large file, of which only a sample was compared
  later.modified_ns = 10;
  const SameFiles same = {{"same", own}, {"other", shorter}, {"changed", later}};
  testing::GraphMaker maker = MakeReader("another host", told);
  AdoptLayouts(same, maker.graph);
  const Node& reader = maker.graph.node(maker.graph.Find("read"));
  const Hdf5Layouts layouts = ParseLayouts(*reader.attrs.Find("layouts")->get<std::string>());
  EXPECT_EQ(layouts.host, HostId());
  ASSERT_EQ(layouts.files.size(), 4u);
  EXPECT_EQ(ParseLayout(layouts.files[0]).file, own);
  EXPECT_EQ(ParseLayout(layouts.files[0]).datasets.size(), 1u);
  for (const size_t i : {1, 2, 3}) EXPECT_EQ(layouts.files[i], "") << i;
}

TEST(AdoptLayouts, RanksOfTheHostKeepWhatTheyWereTold) {
  const FileVersion told{.device = 1, .inode = 2, .bytes = 100, .modified_ns = 7, .changed_ns = 8};
  testing::GraphMaker maker = MakeReader(HostId(), told);
  AdoptLayouts({}, maker.graph);
  const Node& reader = maker.graph.node(maker.graph.Find("read"));
  const Hdf5Layouts layouts = ParseLayouts(*reader.attrs.Find("layouts")->get<std::string>());
  ASSERT_EQ(layouts.files.size(), 4u);
  for (const std::string& file : layouts.files) EXPECT_EQ(ParseLayout(file).file, told);
}

}  // namespace
}  // namespace dfrun
