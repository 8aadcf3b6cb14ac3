#include "src/base/mapped_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

using ::testing::HasSubstr;

class MappedFileTest : public ::testing::Test {
 protected:
  FileDescriptor Open(const std::string& content) {
    return *FileDescriptor::OpenForReading(files_.Write("file", content));
  }
  void Resize(size_t bytes) { std::filesystem::resize_file(files_.Path("file"), bytes); }

  ScratchDirectory files_;
};

TEST_F(MappedFileTest, HasTheBytesOfTheFile) {
  const std::string content(100'000, 'x');
  const FileDescriptor file = Open(content);
  const MappedFile mapped = MappedFile::Map(file, content.size());
  ASSERT_TRUE(mapped.is_mapped());
  mapped.Touch(5000, 50'000);
  EXPECT_EQ(mapped.bytes(), content);
  EXPECT_TRUE(mapped.Check(file).ok());
}

TEST_F(MappedFileTest, AFileThatBecomesShorterIsNoticed) {
  const std::string content(1'000'000, 'x');
  const FileDescriptor file = Open(content);
  const MappedFile mapped = MappedFile::Map(file, content.size());
  ASSERT_TRUE(mapped.is_mapped());
  Resize(500'000);
  EXPECT_EQ(mapped.bytes()[499'999], 'x');
  EXPECT_EQ(mapped.bytes()[999'999], '\0');  // without the handler the process ends here
  EXPECT_THAT(mapped.Check(file).ToString(), HasSubstr("DataLoss: "));
  EXPECT_THAT(mapped.Check(file).ToString(), HasSubstr("has become shorter while it was read: it has 500000 bytes"));
  Resize(1'000'000);  // bytes that were lost once stay lost
  EXPECT_THAT(mapped.Check(file).ToString(), HasSubstr("DataLoss: cannot read"));
  const MappedFile again = MappedFile::Map(file, content.size());
  EXPECT_TRUE(again.Check(file).ok());
}

TEST_F(MappedFileTest, AFileThatCannotBeMappedIsNot) {
  EXPECT_FALSE(MappedFile::Map(FileDescriptor(), 100).is_mapped());
  const FileDescriptor file = Open("x");
  std::vector<MappedFile> many(10000);  // more than there are slots
  for (MappedFile& mapped : many) mapped = MappedFile::Map(file, 1);
  EXPECT_TRUE(many.front().is_mapped());
  EXPECT_FALSE(many.back().is_mapped());
  many.clear();
  EXPECT_TRUE(MappedFile::Map(file, 1).is_mapped());
}

TEST(MappedFileDeathTest, OtherBusErrorsEndTheProcessAsBefore) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const ScratchDirectory files;
  const FileDescriptor file = *FileDescriptor::OpenForReading(files.Write("file", "x"));
  const auto raise_beside_a_mapping = [&] {
    signal(SIGBUS, SIG_DFL);  // a sanitizer has a handler of its own
    const MappedFile mapped = MappedFile::Map(file, 1);
    raise(SIGBUS);
  };
  EXPECT_EXIT(raise_beside_a_mapping(), testing::KilledBySignal(SIGBUS), "");
}

}  // namespace
}  // namespace dfrun
