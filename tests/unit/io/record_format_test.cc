// Records of files: their offsets, their content, and the errors of damaged ones.
#include "kernels/io/record_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr size_t kAll = SIZE_MAX;

class RecordFormatTest : public ::testing::Test {
 protected:
  // Returns the records of a file, read in memory and through a buffer, which must agree; an error is the last entry.
  std::vector<std::string> Records(const RecordFormat& format, const std::string& path,
                                   Compression compression = Compression::kNone) {
    std::vector<std::string> first = RecordsKept(format, path, compression, kAll);
    EXPECT_EQ(first, RecordsKept(format, path, compression, 0));
    return first;
  }

  ScratchDirectory files_;

 private:
  static std::vector<std::string> RecordsKept(const RecordFormat& format, const std::string& path,
                                              Compression compression, size_t keep) {
    std::vector<std::string> records;
    Result<ByteFile> file = ByteFile::Open(path, compression, keep);
    if (!file.ok()) return {file.status().ToString()};
    uint64_t at = format.Begin();
    while (true) {
      FileCursor cursor(*file);  // a new one each time: `at` alone says where to go on
      RecordSpan span;
      const Result<bool> found = format.Find(cursor, at, span);
      if (found.ok() && !*found) return records;
      const Result<std::string_view> bytes = found.ok() ? format.Read(cursor, span) : found.status();
      records.emplace_back(bytes.ok() ? *bytes : bytes.status().ToString());
      if (!found.ok()) return records;
    }
  }
};

TEST_F(RecordFormatTest, Lines) {
  const auto lines = [&](const std::string& text, int64_t skip = 0) {
    return Records(*TextLines(skip), files_.Write("lines", text));
  };
  EXPECT_THAT(lines("a\nbc\n\nd"), ElementsAre("a", "bc", "", "d"));
  EXPECT_THAT(lines("a\r\nb\n"), ElementsAre("a", "b"));
  EXPECT_THAT(lines(""), ElementsAre());
  EXPECT_THAT(lines("head\na\n", 1), ElementsAre("a"));
  EXPECT_THAT(lines("head", 2), ElementsAre());
  const std::string longer(700'000, 'x');  // longer than the buffer
  EXPECT_THAT(lines(longer + "\n" + longer + "y"), ElementsAre(longer, longer + "y"));
}

TEST_F(RecordFormatTest, CsvLinesMayHoldLineEndsInQuotes) {
  const auto columns = std::make_shared<CsvColumns>(CsvColumns{{}, {"a", "b"}, 2, 2});
  EXPECT_THAT(Records(*CsvLines(columns), files_.Write("csv", "a,b\n1,\"x\ny\"\n\n2,\"\"\"\"\r\n")),
              ElementsAre("1,\"x\ny\"", "2,\"\"\"\""));
}

TEST_F(RecordFormatTest, FixedLength) {
  const std::string path = files_.Write("fixed", "HHaabbccF");
  EXPECT_THAT(Records(*FixedLengthRecords({2, 2, 1, 0}), path), ElementsAre("aa", "bb", "cc"));
  EXPECT_THAT(Records(*FixedLengthRecords({2, 2, 1, 4}), path), ElementsAre("aa", "cc"));
  EXPECT_THAT(Records(*FixedLengthRecords({2, 2, 1, 1}), files_.Write("hop", "HHabcF")),
              ElementsAre("ab", "bc", HasSubstr("the record at byte 4 is cut short: 1 of 2 bytes")));
  EXPECT_THAT(Records(*FixedLengthRecords({2, 4, 1, 0}), path),
              ElementsAre("aabb", HasSubstr("the record at byte 6 is cut short: 2 of 4 bytes")));
  EXPECT_THAT(Records(*FixedLengthRecords({20, 4, 1, 0}), path), ElementsAre(HasSubstr("fewer than its header")));
}

TEST_F(RecordFormatTest, WholeFiles) {
  EXPECT_THAT(Records(*WholeFiles(), files_.Write("whole", "a\nb")), ElementsAre("a\nb"));
  EXPECT_THAT(Records(*WholeFiles(), files_.Write("empty", "")), ElementsAre(""));
  EXPECT_THAT(Records(*WholeFiles(), files_.Path("none")), ElementsAre(HasSubstr("NotFound: cannot open")));
}

// The bytes that TensorFlow's TFRecordWriter makes of "ab" and "".
constexpr std::string_view kTwoRecords(
    "\x02\0\0\0\0\0\0\0\x78\x27\x0b\x34\x61\x62\x1c\xb0\xf0\xf4"
    "\0\0\0\0\0\0\0\0\x29\x03\x98\x07\xd8\xea\x82\xa2",
    34);

TEST_F(RecordFormatTest, TfRecord) {
  const std::string two = FramedTfRecord("ab") + FramedTfRecord("");
  EXPECT_EQ(two, kTwoRecords);
  EXPECT_THAT(Records(*TfRecords(), files_.Write("two", two)), ElementsAre("ab", ""));
  const std::string big(1'000'000, 'z');
  EXPECT_THAT(Records(*TfRecords(), files_.Write("big", FramedTfRecord(big) + two)), ElementsAre(big, "ab", ""));
}

TEST_F(RecordFormatTest, DamagedTfRecords) {
  const std::string good = FramedTfRecord("abc");
  const auto last = [&](const std::string& bytes) {
    const std::vector<std::string> records = Records(*TfRecords(), files_.Write("bad", bytes));
    return records.empty() ? "" : records.back();
  };
  std::string flipped = good + good;
  flipped[good.size() + 13] ^= 1;
  EXPECT_THAT(last(flipped), HasSubstr("DataLoss"));
  EXPECT_THAT(last(flipped), HasSubstr("the record at byte 19 has a wrong checksum"));
  std::string length = good;
  length[3] ^= 0x40;
  EXPECT_THAT(last(length), HasSubstr("the record at byte 0 has a damaged length"));
  for (size_t cut = 1; cut < good.size(); ++cut) {
    EXPECT_THAT(last(good + good.substr(0, cut)), HasSubstr("the record at byte 19 is cut short")) << cut;
  }
}

std::string Compressed(std::string_view plain, int window_bits) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(plain.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST_F(RecordFormatTest, CompressedFiles) {
  const std::string big(1'000'000, 'z');
  const std::string plain = FramedTfRecord(big) + FramedTfRecord("b");
  const std::string gzip = Compressed(plain, 15 + 16);
  EXPECT_THAT(Records(*TfRecords(), files_.Write("gz", gzip), Compression::kGzip), ElementsAre(big, "b"));
  EXPECT_THAT(Records(*TfRecords(), files_.Write("zlib", Compressed(plain, 15)), Compression::kZlib),
              ElementsAre(big, "b"));
  EXPECT_THAT(
      Records(*TextLines(0), files_.Write("joined", Compressed("a\n", 31) + Compressed("b\n", 31)), Compression::kGzip),
      ElementsAre("a", "b"));
  EXPECT_THAT(Records(*TfRecords(), files_.Write("cut", gzip.substr(0, gzip.size() - 9)), Compression::kGzip),
              ElementsAre(HasSubstr("the compressed data is cut short")));
  EXPECT_THAT(Records(*TfRecords(), files_.Write("plain", plain), Compression::kGzip),
              ElementsAre(HasSubstr("plain: the compressed data is damaged")));
  EXPECT_EQ(Inflate(gzip, Compression::kGzip, 1000).status().code(), Code::kOutOfRange);
  EXPECT_EQ(ParseCompression("brotli").status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace dfrun
