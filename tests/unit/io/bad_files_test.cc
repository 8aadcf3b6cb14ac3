// Files that are missing, empty, cut short, damaged, hostile, or change while they are read. Every format gives an
// error that names the file, and the record if there is one, or counts the samples that it left out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <numeric>

#include "kernels/image/png.h"
#include "kernels/io/record_format.h"
#include "src/base/crc32c.h"
#include "src/hdf5/tensor_hdf5.h"
#include "src/storage/example.pb.h"
#include "src/storage/sample_source.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Example(int64_t value) {
  proto::Example example;
  (*example.mutable_features()->mutable_feature())["x"].mutable_int64_list()->add_value(value);
  return example.SerializeAsString();
}

std::string Zipped(const std::string& plain) {
  std::string out(compressBound(plain.size()), '\0');
  auto size = static_cast<uLongf>(out.size());
  EXPECT_EQ(compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(plain.data()),
                      plain.size(), 9),
            Z_OK);
  out.resize(size);
  return out;
}

// A format, a field of it, and a good file of several samples.
struct Case {
  std::string format;
  SampleConfig config;
  SampleField field;
  std::string content;
};

class BadFilesTest : public ::testing::Test {
 protected:
  static SampleField Field(std::string from, DType dtype = DType::kInvalid, PartialShape shape = {}) {
    return {std::move(from), dtype, std::move(shape), {}};
  }

  std::string Hdf5() {
    Tensor rows(DType::kInt64, Shape({1000, 8}));
    std::iota(rows.data<int64_t>(), rows.data<int64_t>() + rows.num_elements(), 0);
    const std::string path = files_.Path("made.h5");
    {
      const Result<h5::Handle> file = h5::CreateFile(path);
      EXPECT_TRUE(file.ok() && WriteTensor(*file, "/x", rows).ok());
    }
    return *ReadFile(path, SIZE_MAX);
  }

  std::vector<Case> AllFormats() {
    std::string lines;
    std::string records;
    for (int i = 0; i < 3000; ++i) {
      lines += std::to_string(10'000 + i) + "\n";
      records += FramedTfRecord(Example(i));
    }
    std::vector<uint8_t> pixels(100 * 300);
    for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint8_t>(i * i >> 3);
    return {{"hdf5", {}, Field("/x"), Hdf5()},
            {"text", {}, Field("line"), lines},
            {"csv", {}, Field("0", DType::kInt64), lines},
            {"fixed_length", {{}, {{"record_bytes", "6"}}}, Field("0"), lines},
            {"tfrecord", {}, Field("x", DType::kInt64), records},
            {"whole_file", {}, Field("contents"), lines},
            {"image",
             {},
             Field("image", DType::kUint8, PartialShape({-1, -1, 1})),
             *EncodePng({100, 300, 1, 8}, pixels.data(), -1)}};
  }

  Result<std::unique_ptr<SampleSource>> Open(const Case& c) {
    DF_ASSIGN(std::unique_ptr<SampleSource> source, SampleFormats::Find(c.format)->open(c.config));
    SampleField field = c.field;
    DF_TRY(source->AddField(field));
    return source;
  }

  // Counts, loads and gathers all samples of one file.
  Status ReadAll(Case c, const std::string& path) {
    c.config.files = {path};
    DF_ASSIGN(const std::unique_ptr<SampleSource> source, Open(c));
    DF_ASSIGN(record_index_, source->Count());
    DF_ASSIGN(samples_, source->Load(record_index_));
    std::vector<int64_t> all(static_cast<size_t>(samples_));
    std::iota(all.begin(), all.end(), 0);
    return source->Gather(all, SystemAllocator()).status();
  }

  static Case Skipping(Case c) {
    c.config.options["on_error"] = "skip";
    return c;
  }

  ScratchDirectory files_;
  RecordIndex record_index_;
  int64_t samples_ = 0;
};

TEST_F(BadFilesTest, MissingFilesAreNamed) {
  for (const Case& c : AllFormats()) {
    const std::string path = files_.Path("none");
    EXPECT_THAT(ReadAll(c, path).ToString(), AllOf(HasSubstr("NotFound: "), HasSubstr(path))) << c.format;
    if (c.format == "hdf5") continue;
    ASSERT_TRUE(ReadAll(Skipping(c), path).ok()) << c.format;
    EXPECT_EQ(record_index_.skipped, 1) << c.format;
    EXPECT_EQ(samples_, 0) << c.format;
  }
}

TEST_F(BadFilesTest, EmptyFilesHaveNoSamplesOrAreNamed) {
  const std::string path = files_.Write("empty", "");
  for (const Case& c : AllFormats()) {
    const Status status = ReadAll(c, path);
    if (c.format == "hdf5" || c.format == "image") {
      EXPECT_THAT(status.ToString(), HasSubstr(path)) << c.format;
      continue;
    }
    EXPECT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(samples_, c.format == "whole_file" ? 1 : 0) << c.format;
  }
}

TEST_F(BadFilesTest, FilesOfAHeaderAlone) {
  const std::string path = files_.Write("header", "a,b\n");
  EXPECT_TRUE(ReadAll({"csv", {{}, {{"header", "true"}}}, Field("b"), ""}, path).ok());
  EXPECT_EQ(samples_, 0);
  EXPECT_TRUE(ReadAll({"text", {{}, {{"skip_lines", "1"}}}, Field("line"), ""}, path).ok());
  EXPECT_EQ(samples_, 0);
  EXPECT_TRUE(
      ReadAll({"fixed_length", {{}, {{"record_bytes", "9"}, {"header_bytes", "4"}}}, Field("0"), ""}, path).ok());
  EXPECT_EQ(samples_, 0);
  const Case no_header{"csv", {{}, {{"header", "true"}}}, Field("b"), ""};
  EXPECT_THAT(ReadAll(no_header, files_.Write("empty", "")).ToString(),
              HasSubstr("empty is empty: it lacks its header"));
}

TEST_F(BadFilesTest, FilesCutShortAreNamedWithTheRecord) {
  for (const Case& c : AllFormats()) {
    // These formats may end anywhere
    if (c.format == "text" || c.format == "csv" || c.format == "whole_file") continue;
    const std::string path = files_.Write("cut", c.content.substr(0, c.content.size() / 2 + 1));
    const std::string error = ReadAll(c, path).ToString();
    EXPECT_THAT(error, HasSubstr(path)) << c.format;
    if (c.format == "hdf5") continue;  // its library refuses the whole file
    EXPECT_THAT(error, HasSubstr("cut, record ")) << c.format;
    ASSERT_TRUE(ReadAll(Skipping(c), path).ok()) << c.format;
    EXPECT_EQ(record_index_.skipped, 1) << c.format;
    EXPECT_EQ(samples_, c.format == "image" ? 0 : c.format == "fixed_length" ? 1500 : 1502) << c.format;
  }
}

TEST_F(BadFilesTest, CompressedFilesCutShortAreNamed) {
  for (Case c : AllFormats()) {
    if (c.format == "hdf5") continue;
    c.config.options["compression"] = "zlib";
    const std::string whole = Zipped(c.content);
    ASSERT_TRUE(ReadAll(c, files_.Write("whole", whole)).ok()) << c.format;
    EXPECT_GT(samples_, 0);
    const std::string path = files_.Write("cut", whole.substr(0, whole.size() - 5));
    EXPECT_THAT(ReadAll(c, path).ToString(), HasSubstr(path + ": the compressed data is cut short")) << c.format;
    ASSERT_TRUE(ReadAll(Skipping(c), path).ok()) << c.format;
    EXPECT_EQ(record_index_.skipped, 1) << c.format;
  }
}

// Records that were counted are no longer there when they are read.
TEST_F(BadFilesTest, FilesThatBecomeShorterAreNamed) {
  for (Case c : AllFormats()) {
    for (const bool is_loaded : {false, true}) {
      const std::string path = files_.Write("shrinks", c.content);
      c.config.files = {path};
      const auto source = Open(c);
      ASSERT_TRUE(source.ok()) << source.status().ToString();
      const Result<RecordIndex> record_index = (*source)->Count();
      ASSERT_TRUE(record_index.ok());
      if (!is_loaded) std::filesystem::resize_file(path, c.content.size() / 2);
      const Result<int64_t> samples = (*source)->Load(*record_index);
      if (is_loaded) {
        ASSERT_TRUE(samples.ok()) << samples.status().ToString();
        std::filesystem::resize_file(path, c.content.size() / 2);
      }
      const std::vector<int64_t> wanted = {record_index->samples() - 1, 0};
      const Status status = samples.ok() ? (*source)->Gather(wanted, SystemAllocator()).status() : samples.status();
      // A file that is one sample, whatever it holds, is read anew until it has been loaded.
      const bool is_read_anew = c.format == "whole_file" && !is_loaded;
      EXPECT_EQ(status.ok(), is_read_anew) << c.format;
      EXPECT_THAT(status.message(), HasSubstr(is_read_anew ? "" : path)) << c.format;
    }
  }
}

TEST_F(BadFilesTest, FilesThatGrowKeepTheirSamples) {
  for (Case c : AllFormats()) {
    if (c.format == "hdf5" || c.format == "whole_file") continue;
    const std::string path = files_.Write("grows", c.content);
    c.config.files = {path};
    const auto source = Open(c);
    ASSERT_TRUE(source.ok());
    const Result<RecordIndex> record_index = (*source)->Count();
    ASSERT_TRUE(record_index.ok());
    files_.Write("grows", c.content + c.content);
    EXPECT_EQ(*(*source)->Load(*record_index), record_index->samples()) << c.format;
    const std::vector<int64_t> wanted = {record_index->samples() - 1, 0};
    const auto batch = (*source)->Gather(wanted, SystemAllocator());
    EXPECT_TRUE(batch.ok()) << c.format << batch.status().ToString();
  }
}

TEST_F(BadFilesTest, ARecordThatChangesIsNoticed) {
  Case c = AllFormats()[4];
  const std::string path = files_.Write("changes", c.content);
  c.config.files = {path};
  const auto source = Open(c);
  const Result<RecordIndex> record_index = (*source)->Count();
  ASSERT_TRUE((*source)->Load(*record_index).ok());
  const size_t record = c.content.size() / 3000;
  FILE* file = std::fopen(path.c_str(), "r+b");
  ASSERT_EQ(std::fseek(file, static_cast<long>(record + 13), SEEK_SET), 0);
  std::fputc('?', file);
  std::fclose(file);
  const std::vector<int64_t> wanted = {0, 1};
  EXPECT_THAT((*source)->Gather(wanted, SystemAllocator()).status().ToString(),
              AllOf(HasSubstr("changes, record 1 at byte "), HasSubstr("has a wrong checksum")));
}

// The header of a record that says it has so many bytes.
std::string Length(uint64_t bytes) {
  std::string header(reinterpret_cast<const char*>(&bytes), sizeof(bytes));
  const uint32_t crc = Crc32c(header.data(), header.size());
  const uint32_t masked = ((crc >> 15) | (crc << 17)) + 0xa282ead8;
  return header.append(reinterpret_cast<const char*>(&masked), sizeof(masked));
}

TEST_F(BadFilesTest, HugeLengthsTakeNoMemory) {
  const Case c{"tfrecord", {}, Field("record"), ""};
  const std::string good = FramedTfRecord("abc");
  for (const uint64_t bytes : {uint64_t{1} << 30, uint64_t{1} << 62, UINT64_MAX - 3, UINT64_MAX}) {
    const std::string path = files_.Write("huge", good + Length(bytes) + "abcd");
    EXPECT_THAT(ReadAll(c, path).ToString(),
                HasSubstr("huge, record 1 at byte 19: the record at byte 19 is cut short"));
    ASSERT_TRUE(ReadAll(Skipping(c), path).ok());
    EXPECT_EQ(samples_, 1);
    EXPECT_EQ(record_index_.skipped, 1);
    std::string wrong = Length(bytes);
    wrong.back() = static_cast<char>(wrong.back() ^ 1);
    EXPECT_THAT(ReadAll(c, files_.Write("huge", good + wrong + "abcd")).ToString(),
                HasSubstr("huge, record 1 at byte 19: the record at byte 19 has a damaged length"));
  }
  // The record is there, though its file takes no room on the disk.
  const std::string path = files_.Write("sparse", Length(uint64_t{3} << 30));
  std::filesystem::resize_file(path, (uint64_t{3} << 30) + 16);
  EXPECT_THAT(ReadAll(c, path).ToString(), AllOf(HasSubstr("sparse, record 0"), HasSubstr("more than are read")));
}

void AppendChunk(const std::string& type, const std::string& data, std::string& png) {
  const auto append = [&](uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) png.push_back(static_cast<char>(value >> shift));
  };
  append(static_cast<uint32_t>(data.size()));
  const std::string body = type + data;
  png += body;
  append(static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()))));
}

// A PNG of grey pixels that claims a size and has next to none.
std::string ClaimingPng(uint32_t height, uint32_t width) {
  std::string png = "\x89PNG\r\n\x1a\n";
  std::string header;
  for (const uint32_t size : {width, height}) {
    for (int shift = 24; shift >= 0; shift -= 8) header.push_back(static_cast<char>(size >> shift));
  }
  AppendChunk("IHDR", header + std::string("\x08\0\0\0\0", 5), png);
  AppendChunk("IDAT", Zipped(std::string(100, '\0')), png);
  AppendChunk("IEND", "", png);
  return png;
}

// A JPEG of grey pixels that claims a size and ends after its headers.
std::string ClaimingJpeg(uint16_t height, uint16_t width) {
  std::string frame("\xff\xc0\0\x0b\x08", 5);
  for (const uint16_t size : {height, width}) {
    frame.push_back(static_cast<char>(size >> 8));
    frame.push_back(static_cast<char>(size & 0xff));
  }
  return "\xff\xd8" + frame + std::string("\x01\x01\x11\0\xff\xda\0\x08\x01\x01\0\0\x3f\0", 14);
}

TEST_F(BadFilesTest, ImagesOfHostileSizesAreRefused) {
  for (const std::string& image : {ClaimingPng(60'000, 60'000), ClaimingJpeg(60'000, 60'000)}) {
    const std::string path = files_.Write("hostile", image);
    for (const PartialShape& shape : {PartialShape(), PartialShape({-1, -1, 3}), PartialShape({8, 8, 1})}) {
      const Case c{"image", {}, Field("image", DType::kUint8, shape), ""};
      EXPECT_THAT(ReadAll(c, path).ToString(), HasSubstr(path)) << shape;
    }
    const Case c{"image", {}, Field("image", DType::kUint8, PartialShape({-1, -1, 1})), ""};
    EXPECT_THAT(ReadAll(c, path).ToString(), AllOf(HasSubstr("hostile, record 0"), HasSubstr("too ")));
    ASSERT_TRUE(ReadAll(Skipping(c), path).ok());
    EXPECT_EQ(record_index_.skipped, 1);
  }
  EXPECT_THAT(ReadAll({"image", {}, Field("image"), ""}, files_.Write("no", "neither")).ToString(), HasSubstr("no"));
}

TEST_F(BadFilesTest, ACensusOfOtherFilesIsRefused) {
  Case c = AllFormats()[1];
  c.config.files = {files_.Write("lines", "1\n2\n3\n")};
  const auto load = [&](const RecordIndex& record_index) {
    const auto source = Open(c);
    return (*source)->Load(record_index).status().ToString();
  };
  EXPECT_THAT(load({{{1, 0, 3}}, {}, 0}), HasSubstr("InvalidArgument: the samples were counted in other files"));
  EXPECT_THAT(load({{{0, -1, 3}}, {}, 0}), HasSubstr("InvalidArgument"));
  EXPECT_THAT(load({{{0, 0, INT64_MAX}, {0, 0, INT64_MAX}}, {}, 0}), HasSubstr("InvalidArgument"));
  EXPECT_THAT(load({{{0, 0, 3}}, {2, 1}, 0}), HasSubstr("InvalidArgument: there is no record 1 of 3"));
  EXPECT_THAT(load({{{0, 0, 3}}, {3}, 0}), HasSubstr("InvalidArgument"));
  EXPECT_THAT(load({{{0, 0, 4}}, {}, 0}), HasSubstr("lines:4, record 3 at byte 6: the file ends here"));
}

}  // namespace
}  // namespace dfrun
