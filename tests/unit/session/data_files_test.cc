#include "src/session/data_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

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

}  // namespace
}  // namespace dfrun
