#include "src/base/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "src/base/crc32c.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

using ::testing::HasSubstr;

class FileTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return directory_.Path(name); }

  const ScratchDirectory directory_;
};

TEST_F(FileTest, AtomicWriteReplacesAndLeavesNothingElse) {
  ASSERT_TRUE(WriteFileAtomically(Path("a"), "one").ok());
  ASSERT_TRUE(WriteFileAtomically(Path("a"), std::string_view("t\0wo", 4)).ok());
  const Result<std::string> read = ReadFile(Path("a"), 100);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(*read, std::string("t\0wo", 4));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_.path()), {}), 1);
}

TEST_F(FileTest, AtomicWriteThatFailsKeepsTheOldContent) {
  ASSERT_TRUE(WriteFileAtomically(Path("a"), "one").ok());
  const Status status = WriteFileAtomically(Path("missing/a"), "two");
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.message(), HasSubstr(Path("missing/a")));
  EXPECT_EQ(*ReadFile(Path("a"), 3), "one");
}

TEST_F(FileTest, ReadingNamesThePathAndTheReason) {
  const Result<std::string> missing = ReadFile(Path("nowhere"), 100);
  EXPECT_EQ(missing.status().code(), Code::kNotFound);
  EXPECT_THAT(missing.status().message(), HasSubstr(Path("nowhere")));
  ASSERT_TRUE(WriteFileAtomically(Path("a"), "four").ok());
  EXPECT_FALSE(ReadFile(Path("a"), 3).ok());
  EXPECT_FALSE(ReadFile(directory_.path(), 100).ok());
}

// A pipe that nobody writes to would be waited for.
TEST_F(FileTest, PipesAndDirectoriesAreNotRead) {
  ASSERT_EQ(::mkfifo(Path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(FileDescriptor::OpenForReading(Path("pipe")).status().message(),
            "cannot read " + Path("pipe") + ": it is a pipe");
  EXPECT_EQ(FileDescriptor::OpenForReading(directory_.path()).status().code(), Code::kIo);
}

// The directory may be a stranger's: what stands under the temporary name stays, and no link is followed.
TEST_F(FileTest, WhatStandsUnderTheTemporaryNameIsLeftAlone) {
  directory_.Write("mine", "mine");
  std::filesystem::create_symlink(Path("mine"), Path("link.tmp"));
  std::filesystem::create_symlink(Path("nowhere"), Path("dangling.tmp"));
  std::filesystem::create_directory(Path("directory.tmp"));
  directory_.Write("file.tmp", "kept");
  ASSERT_EQ(::mkfifo(Path("pipe.tmp").c_str(), 0600), 0);
  for (const char* name : {"link", "dangling", "directory", "file", "pipe"}) {
    const Status written = WriteFileAtomically(Path(name), "new");
    EXPECT_TRUE(written.ok()) << written.ToString();
    EXPECT_EQ(*ReadFile(Path(name), 100), "new");
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::symlink_status(Path(name) + std::string(".tmp")))) << name;
    EXPECT_FALSE(std::filesystem::exists(Path(name) + std::string(".tmp-1"))) << name;
  }
  EXPECT_EQ(*ReadFile(Path("mine"), 100), "mine");
  EXPECT_EQ(*ReadFile(Path("file.tmp"), 100), "kept");
  EXPECT_FALSE(std::filesystem::exists(Path("nowhere")));
}

TEST_F(FileTest, OnlyAFileIsReplaced) {
  directory_.Write("mine", "mine");
  std::filesystem::create_symlink(Path("mine"), Path("link"));
  std::filesystem::create_directory(Path("directory"));
  ASSERT_EQ(::mkfifo(Path("pipe").c_str(), 0600), 0);
  for (const auto& [name, kind] : {std::pair("link", "a link"), {"directory", "a directory"}, {"pipe", "a pipe"}}) {
    const Status written = WriteFileAtomically(Path(name), "new");
    EXPECT_EQ(written.code(), Code::kIo) << name;
    EXPECT_THAT(written.message(), HasSubstr(StrCat(kind, " stands there")));
    EXPECT_EQ(FileDescriptor::OpenForAppending(Path(name)).status().code(), Code::kIo) << name;
    EXPECT_EQ(FileDescriptor::OpenRegular(Path(name)).status().code(), Code::kDataLoss) << name;
    EXPECT_FALSE(std::filesystem::exists(Path(name) + std::string(".tmp"))) << name;
  }
  EXPECT_EQ(WriteFileAtomically("/dev/null", "new").code(), Code::kIo);
  EXPECT_EQ(*ReadFile(Path("mine"), 100), "mine");
}

TEST_F(FileTest, DirectoriesAreMadeWithThoseAbove) {
  ASSERT_TRUE(MakeDirectories(Path("a/b//c/")).ok());
  EXPECT_TRUE(std::filesystem::is_directory(Path("a/b/c")));
  ASSERT_TRUE(MakeDirectories(Path("a/b/c")).ok());
  directory_.Write("file", "");
  EXPECT_EQ(MakeDirectories(Path("file")).code(), Code::kIo);
  EXPECT_EQ(MakeDirectories(Path("file/below")).code(), Code::kIo);
}

TEST_F(FileTest, ListingsAreSortedAndErrorsAreErrors) {
  for (const char* name : {"c", ".a", "b"}) directory_.Write(name, "");
  EXPECT_EQ(*ListDirectory(directory_.path()), (std::vector<std::string>{".a", "b", "c"}));
  EXPECT_EQ(ListDirectory(Path("nowhere")).status().code(), Code::kNotFound);
  EXPECT_EQ(ListDirectory(Path("b")).status().code(), Code::kIo);
}

TEST_F(FileTest, ReadPastTheEndIsDataLoss) {
  ASSERT_TRUE(WriteFileAtomically(Path("a"), "0123456789").ok());
  const Result<FileDescriptor> file = FileDescriptor::OpenForReading(Path("a"));
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(*file->Size(), 10U);
  char bytes[6] = {};
  ASSERT_TRUE(file->ReadAt(4, bytes, 6).ok());
  EXPECT_EQ(std::string(bytes, 6), "456789");
  EXPECT_EQ(file->ReadAt(5, bytes, 6).code(), Code::kDataLoss);
}

TEST_F(FileTest, DigestIsSizeAndCrc) {
  const std::string content(3 << 20, 'x');
  ASSERT_TRUE(WriteFileAtomically(Path("a"), content).ok());
  const Result<FileDigest> digest = DigestFile(Path("a"));
  ASSERT_TRUE(digest.ok());
  EXPECT_EQ(digest->bytes, content.size());
  EXPECT_EQ(digest->crc32c, Crc32c(content.data(), content.size()));
}

}  // namespace
}  // namespace dfrun
