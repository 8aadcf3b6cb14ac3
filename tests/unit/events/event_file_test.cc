// Event files against bytes that TensorBoard's own writer gave.
#include "src/events/event_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "src/base/file.h"
#include "src/base/text.h"
#include "src/events/event_writer.h"
#include "src/storage/event.pb.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

std::string Hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return hex;
}

std::vector<std::string> FilesOf(const std::string& directory) {
  std::vector<std::string> paths;
  const Result<std::vector<std::string>> names = ListDirectory(directory);
  for (const std::string& name : *names) paths.push_back(StrCat(directory, "/", name));
  return paths;
}

std::string Content(const std::string& path) {
  return *ReadFile(path, size_t{1} << 20);
}

TEST(EventFileTest, ARecordHasTheBytesOfTensorBoardsWriter) {
  std::string record;
  AppendTfRecord("abc", record);
  EXPECT_EQ(Hex(record), "0300000000000000b099490e6162636e57f121");
}

TEST(EventFileTest, TheFirstRecordIsTheVersion) {
  const ScratchDirectory scratch;
  auto file = EventFile::Create(scratch.Path("run"));
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  ASSERT_TRUE(file->Flush().ok());
  const std::string text = Content(file->path());
  // A double of the wall time between, then field 3, "brain.Event:2".
  EXPECT_EQ(Hex(text.substr(0, 8)), "1800000000000000");
  EXPECT_EQ(Hex(text.substr(12, 1)), "09");
  EXPECT_EQ(Hex(text.substr(21, 15)), "1a0d627261696e2e4576656e743a32");
  EXPECT_NE(file->path().find("/events.out.tfevents."), std::string::npos);
}

TEST(EventFileTest, ALaterFileComesBehindAllThatAreThere) {
  const ScratchDirectory scratch;
  const std::string future = scratch.Path("events.out.tfevents.9000000000.other.1.0");
  ASSERT_TRUE(WriteFileAtomically(future, "").ok());
  std::string last = future;
  for (int i = 0; i < 3; ++i) {
    auto file = EventFile::Create(scratch.path());
    ASSERT_TRUE(file.ok()) << file.status().ToString();
    EXPECT_LT(last, file->path());
    last = file->path();
  }
}

TEST(EventFileTest, AReaderEndsAtATornOrDamagedRecord) {
  std::string text;
  AppendTfRecord("first", text);
  const size_t first = text.size();
  AppendTfRecord("second", text);
  for (size_t size = first; size < text.size(); ++size) {
    EventFileReader reader(std::string_view(text).substr(0, size));
    std::string_view record;
    ASSERT_TRUE(reader.Next(record)) << size;
    EXPECT_EQ(record, "first");
    EXPECT_FALSE(reader.Next(record)) << size;
  }
  for (size_t at = first; at < text.size(); ++at) {
    std::string damaged = text;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EventFileReader reader(damaged);
    std::string_view record;
    ASSERT_TRUE(reader.Next(record)) << at;
    EXPECT_FALSE(reader.Next(record)) << at;
  }
}

TEST(EventFileTest, AWriterMakesItsFileWithTheFirstEvent) {
  const ScratchDirectory scratch;
  EventWriter writer(scratch.Path("run"));
  EXPECT_TRUE(writer.Flush().ok());
  EXPECT_FALSE(std::filesystem::exists(scratch.Path("run")));
  writer.AddSummary(7, 1.5, "message");
  ASSERT_TRUE(writer.Flush().ok());
  const std::vector<std::string> files = FilesOf(scratch.Path("run"));
  ASSERT_EQ(files.size(), 1u);
  const std::string text = Content(files[0]);
  EventFileReader reader(text);
  std::string_view record;
  ASSERT_TRUE(reader.Next(record));
  ASSERT_TRUE(reader.Next(record));
  // wall_time 1.5, step 7, summary "message".
  EXPECT_EQ(Hex(record), "09000000000000f83f10072a076d657373616765");
  EXPECT_FALSE(reader.Next(record));
}

TEST(EventFileTest, AWriterThatIsRefusedDropsEventsAndSaysSoOnce) {
  const ScratchDirectory scratch;
  ASSERT_TRUE(WriteFileAtomically(scratch.Path("taken"), "a file").ok());
  EventWriter writer(scratch.Path("taken/run"));
  writer.AddSummary(1, 1, "one");
  EXPECT_FALSE(writer.Flush().ok());
  writer.AddSummary(2, 1, "two");
  EXPECT_TRUE(writer.Flush().ok());
  EXPECT_EQ(writer.dropped(), 2);
}

}  // namespace
}  // namespace dfrun
