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
