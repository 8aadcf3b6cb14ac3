// Samples of files of each format.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <map>
#include <numeric>

#include "kernels/image/png.h"
#include "kernels/io/record_format.h"
#include "src/hdf5/tensor_hdf5.h"
#include "src/storage/example.pb.h"
#include "src/storage/sample_source.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SampleFormatsTest : public ::testing::Test {
 protected:
  // The batch of samples `wanted` (default: all) of a format's files.
  Result<std::vector<Tensor>> Read(const std::string& format, const SampleConfig& config,
                                   std::vector<SampleField> fields, std::vector<int64_t> wanted = {}) {
    const SampleFormat* found = SampleFormats::Find(format);
    if (found == nullptr) return NotFound(format);
    DF_ASSIGN(const std::unique_ptr<SampleSource> source, found->open(config));
    for (SampleField& field : fields) DF_TRY(source->AddField(field));
    DF_ASSIGN(record_index_, source->Count());
    if (wanted.empty()) {
      wanted.resize(static_cast<size_t>(record_index_.samples()));
      std::iota(wanted.begin(), wanted.end(), 0);
    }
    DF_ASSIGN(const int64_t samples, source->Load(record_index_));
    EXPECT_EQ(samples, record_index_.samples());
    return source->Gather(wanted, SystemAllocator());
  }
  std::string Error(const std::string& format, const SampleConfig& config, const std::vector<SampleField>& fields) {
    const Result<std::vector<Tensor>> batch = Read(format, config, fields);
    return batch.ok() ? "no error" : batch.status().ToString();
  }

  ScratchDirectory files_;
  RecordIndex record_index_;
};

SampleField Field(std::string from, DType dtype = DType::kInvalid, PartialShape shape = {}) {
  return {std::move(from), dtype, std::move(shape), {}};
}

template <class T>
std::vector<T> Values(const Tensor& t) {
  return {t.values<T>().begin(), t.values<T>().end()};
}

TEST_F(SampleFormatsTest, TextOfSeveralFiles) {
  files_.Write("b.txt", "3\n4\n");
  files_.Write("a.txt", "1\n2");
  const auto batch = Read("text", {{files_.Path("?.txt")}, {}}, {Field("line"), Field("path")}, {3, 0, 1});
  ASSERT_TRUE(batch.ok()) << batch.status().ToString();
  EXPECT_THAT(Values<std::string>((*batch)[0]), ElementsAre("4", "1", "2"));
  EXPECT_THAT(Values<std::string>((*batch)[1]),
              ElementsAre(files_.Path("b.txt"), files_.Path("a.txt"), files_.Path("a.txt")));
  EXPECT_THAT(Error("text", {{files_.Path("?.csv")}, {}}, {Field("line")}), HasSubstr("NotFound: no file fits"));
  EXPECT_THAT(Error("text", {{files_.Path("c.txt")}, {}}, {Field("line")}), HasSubstr("NotFound: cannot open"));
}

TEST_F(SampleFormatsTest, Csv) {
  const std::string path = files_.Write("t.csv", "id,x,y,name\n1,0.5,-1,\"a,b\"\n2,,7,\n");
  SampleField x = Field("x", DType::kFloat);
  x.fallback = "9.25";
  const auto batch = Read("csv", {{path}, {{"header", "true"}}},
                          {Field("id", DType::kInt64), x, Field("name", DType::kString), Field("2:3")});
  ASSERT_TRUE(batch.ok()) << batch.status().ToString();
  EXPECT_THAT(Values<int64_t>((*batch)[0]), ElementsAre(1, 2));
  EXPECT_THAT(Values<float>((*batch)[1]), ElementsAre(0.5f, 9.25f));
  EXPECT_THAT(Values<std::string>((*batch)[2]), ElementsAre("a,b", ""));
  EXPECT_EQ((*batch)[3].shape(), Shape({2, 1}));
  EXPECT_THAT(Error("csv", {{path}, {{"header", "true"}}}, {Field("nam")}), HasSubstr("did you mean 'name'?"));
  EXPECT_THAT(Error("csv", {{path}, {{"header", "true"}}}, {Field("2:9")}), HasSubstr("no column '2:9'"));
  EXPECT_THAT(Error("csv", {{path}, {{"header", "true"}}}, {Field("x", DType::kFloat)}),
              HasSubstr("t.csv:3, record 1 at byte 27: column 1 ('x'): '' is no float32"));
}

TEST_F(SampleFormatsTest, CsvMissingValues) {
  const std::string path = files_.Write("m.csv", "a,b\n1,x\nNA,NA\n-999, -999\n,\n");
  const auto read = [&](const SampleConfig& config, const std::optional<std::string>& fallback) {
    SampleField a = Field("a");
    a.fallback = fallback;
    const auto batch = Read("csv", config, {a, Field("b", DType::kString)});
    return batch.ok() ? StrCat((*batch)[0].ToString(), " ", (*batch)[1].ToString()) : batch.status().message();
  };
  const SampleConfig plain{{path}, {{"header", "true"}}};
  const SampleConfig listed{{path}, {{"header", "true"}, {"na", "-999\nNA\n"}}};
  EXPECT_EQ(read(plain, "7"), "float32[4] 1 7 -999 7 string[4] \"x\" \"NA\" \" -999\" \"\"");
  EXPECT_EQ(read(listed, "7"), "float32[4] 1 7 7 7 string[4] \"x\" \"\" \" -999\" \"\"");
  EXPECT_THAT(read(plain, {}), HasSubstr("'NA' is no float32; a 'default' of the tensor stands for missing values"));
  EXPECT_THAT(read(listed, {}), HasSubstr("'NA' is a missing value, for which the tensor of 'a' has no 'default'"));
  EXPECT_THAT(read({{path}, {{"header", "true"}, {"na", "x\n"}}}, "7"), HasSubstr("'NA' is no float32"));
}

// Fields that the spec's reader settled are given to the readers of all ranks.
TEST_F(SampleFormatsTest, SettledFieldsAreTakenAsTheyAre) {
  const uint8_t pixels[] = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::string png = *EncodePng({2, 2, 2, 8}, pixels, -1);  // grey and alpha
  const std::string paths[] = {files_.Write("t", "1,2\n3,4\n"), files_.Write("r", FramedTfRecord("ab")),
                               files_.Write("i.png", png)};
  const struct {
    std::string format;
    std::string path;
    std::string from;
    std::map<std::string, std::string, std::less<>> options;
  } cases[] = {{"csv", paths[0], "0:2", {}},         {"csv", paths[0], "1", {}},
               {"text", paths[0], "line", {}},       {"whole_file", paths[0], "contents", {}},
               {"tfrecord", paths[1], "record", {}}, {"fixed_length", paths[0], "1", {{"record_bytes", "4"}}},
               {"image", paths[2], "image", {}},     {"image", paths[2], "label", {}}};
  for (const auto& c : cases) {
    SampleField field = Field(c.from);
    const auto source = SampleFormats::Find(c.format)->open({{c.path}, c.options});
    ASSERT_TRUE(source.ok()) << source.status().ToString();
    ASSERT_TRUE((*source)->AddField(field).ok()) << c.format;
    const auto first = Read(c.format, {{c.path}, c.options}, {Field(c.from)});
    const auto again = Read(c.format, {{c.path}, c.options}, {field});
    ASSERT_TRUE(first.ok() && again.ok()) << c.format << ": " << again.status().ToString();
    EXPECT_EQ((*first)[0].shape(), (*again)[0].shape()) << c.format;
    EXPECT_EQ((*first)[0].dtype(), (*again)[0].dtype()) << c.format;
  }
}

// The bytes of a dataset behind an external link are not those at its offset in the file that has the link.
TEST_F(SampleFormatsTest, DatasetsOfAnotherFile) {
  const auto write = [&](const char* name, float first) {
    const h5::Handle file = *h5::CreateFile(files_.Path(name));
    EXPECT_TRUE(WriteTensor(file, "/x", Tensor::Vector<float>({first, first + 1, first + 2})).ok());
    H5Lcreate_external("there.h5", "/x", file.id(), "/linked", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/x", file.id(), "/soft", H5P_DEFAULT, H5P_DEFAULT);
  };
  write("here.h5", 1);
  write("there.h5", 7);
  const auto batch =
      Read("hdf5", {{files_.Path("here.h5")}, {}}, {Field("/linked"), Field("/x"), Field("/soft")}, {2, 0});
  ASSERT_TRUE(batch.ok()) << batch.status().ToString();
  EXPECT_THAT(Values<float>((*batch)[0]), ElementsAre(9, 7));
  EXPECT_THAT(Values<float>((*batch)[1]), ElementsAre(3, 1));
  EXPECT_THAT(Values<float>((*batch)[2]), ElementsAre(3, 1));
}

TEST_F(SampleFormatsTest, PipesAndDirectoriesAreNotRead) {
  const std::string pipe = files_.Path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(Error("text", {{pipe}, {}}, {Field("line")}), HasSubstr("cannot read " + pipe + ": it is a pipe"));
  EXPECT_THAT(Error("text", {{files_.path()}, {}}, {Field("line")}), HasSubstr("it is a directory"));
  EXPECT_EQ(Error("text", {{files_.Write("t", "a\n")}, {{"skip_lines", "9000000000000000000"}}}, {Field("line")}),
            "no error");
  EXPECT_EQ(record_index_.samples(), 0);
}

TEST_F(SampleFormatsTest, CsvOfOtherPrograms) {
  const auto read = [&](const std::string& text, SampleConfig config = {}) -> std::string {
    config.files = {files_.Write("t.csv", text)};
    config.options.emplace("header", "true");
    const auto batch = Read("csv", config, {Field("x"), Field("name", DType::kString)});
    if (!batch.ok()) return batch.status().message();
    std::string out;
    for (int64_t i = 0; i < (*batch)[0].num_elements(); ++i)
      out += StrCat((*batch)[0].data<float>()[i], " ", (*batch)[1].data<std::string>()[i], "; ");
    return out;
  };
  EXPECT_EQ(read("\xEF\xBB\xBFx,name\n1,p\n"), "1 p; ");
  EXPECT_EQ(read("\xEF\xBB\xBF\"x\",\"name\"\r\n\r\n1,\"p\r\nq\"\r\n2,"), "1 p\r\nq; 2 ; ");
  EXPECT_EQ(read("\n\r\n\nx,name\n1,p\n"), "1 p; ");
  EXPECT_THAT(read("x,x,name\n1,2,p\n"), HasSubstr("two columns are named 'x'"));
  EXPECT_THAT(read("x;name\n1;p\n"), HasSubstr("there is no column 'x': there is only 'x;name'"));
  EXPECT_THAT(read(std::string("\xFF\xFEx\0,\0", 6)), HasSubstr("t.csv: it is UTF-16 text"));
  EXPECT_THAT(read("x,name\n1,p\n", {{}, {{"delimiter", "\""}}}), HasSubstr("'delimiter' must be one byte, no quote"));
  EXPECT_THAT(read("x,name\noops,p\n"), HasSubstr("t.csv:2, record 0 at byte 7: column 0 ('x'): 'oops' is no float32"));
}

TEST_F(SampleFormatsTest, CsvFilesHaveOneHeader) {
  files_.Write("1.csv", "x,y\n1,2\n");
  files_.Write("2.csv", "\"x\",\"y\"\n3,4\n");
  files_.Write("3.csv", "");
  SampleConfig config{{files_.Path("?.csv")}, {{"header", "true"}}};
  const auto batch = Read("csv", config, {Field("y")});
  ASSERT_TRUE(batch.ok()) << batch.status().ToString();
  EXPECT_THAT(Values<float>((*batch)[0]), ElementsAre(2, 4));
  files_.Write("3.csv", "y,x\n5,6\n");
  EXPECT_THAT(Error("csv", config, {Field("y")}),
              HasSubstr("3.csv:1, record 0 at byte 0: its header 'y,x' is not that"));
}

TEST_F(SampleFormatsTest, FilesCompressedByMistakeAreToldFromOthers) {
  const std::string path = files_.Write("t", "\x1f\x8b\x08 and so on\n");
  const std::string hint = "DataLoss: " + path + " is compressed by gzip; 'compression: gzip' reads it";
  EXPECT_EQ(Error("text", {{path}, {}}, {Field("line")}), hint);
  EXPECT_EQ(Error("csv", {{path}, {}}, {Field("0")}), hint);
  EXPECT_EQ(Error("csv", {{path}, {{"header", "true"}}}, {Field("x")}), hint);
  EXPECT_EQ(Error("tfrecord", {{path}, {}}, {Field("record")}), hint);
  EXPECT_EQ(Error("fixed_length", {{path}, {{"record_bytes", "14"}}}, {Field("0")}), "no error");
  EXPECT_EQ(Error("whole_file", {{path}, {}}, {Field("contents")}), "no error");
}

TEST_F(SampleFormatsTest, SkippedRecordsAreCounted) {
  const std::string path = files_.Write("t.csv", "1,2\n1,x\n3\n5,6\n");
  const auto batch = Read("csv", {{path}, {{"on_error", "skip"}}}, {Field("0:2", DType::kInt32)});
  ASSERT_TRUE(batch.ok()) << batch.status().ToString();
  EXPECT_THAT(Values<int32_t>((*batch)[0]), ElementsAre(1, 2, 5, 6));
  EXPECT_EQ(record_index_.samples(), 2);
  EXPECT_EQ(record_index_.skipped, 2);
}

TEST_F(SampleFormatsTest, FixedLengthParts) {
  const std::string path = files_.Write("f", std::string("\x05\x01\x02\x00\x03\x00\x06\x04\x00\x05\x00\x01", 12));
  const SampleConfig config{{path}, {{"record_bytes", "6"}}};
  const auto batch = Read("fixed_length", config,
                          {Field("0"), Field("1", DType::kInt16, PartialShape({2})), Field("5", DType::kBool)});
  ASSERT_TRUE(batch.ok()) << batch.status().ToString();
  EXPECT_EQ((*batch)[0].shape(), Shape({2, 6}));
  EXPECT_THAT(Values<int16_t>((*batch)[1]), ElementsAre(0x201, 0x300, 4, 5));
  EXPECT_THAT(Values<bool>((*batch)[2]), ElementsAre(false, true));
  EXPECT_THAT(Error("fixed_length", config, {Field("6")}), HasSubstr("'6' is no byte of a record of 6"));
  EXPECT_THAT(Error("fixed_length", config, {Field("1", DType::kInt32, PartialShape({2}))}),
              HasSubstr("needs more than the record's 6 bytes"));
  EXPECT_THAT(Error("fixed_length", {{path}, {{"record_bytes", "5"}}}, {Field("0")}),
              HasSubstr("f, record 2 at byte 10: "));
}

std::string Example(const std::vector<float>& values, const std::string& bytes) {
  proto::Example example;
  auto& features = *example.mutable_features()->mutable_feature();
  for (float v : values) features["values"].mutable_float_list()->add_value(v);
  if (!bytes.empty()) features["bytes"].mutable_bytes_list()->add_value(bytes);
  return FramedTfRecord(example.SerializeAsString());
}

TEST_F(SampleFormatsTest, ExamplesArePadded) {
  const std::string path = files_.Write("e", Example({1, 2, 3, 4}, "ab") + Example({5, 6}, "cd") + Example({}, "ef"));
  SampleField padded = Field("values", DType::kFloat, PartialShape({-1, 2}));
  padded.fallback = "-1";
  const auto batch = Read("tfrecord", {{path}, {}}, {padded, Field("bytes", DType::kUint8, PartialShape({2}))});
  ASSERT_TRUE(batch.ok()) << batch.status().ToString();
  EXPECT_EQ((*batch)[0].shape(), Shape({3, 2, 2}));
  EXPECT_THAT(Values<float>((*batch)[0]), ElementsAre(1, 2, 3, 4, 5, 6, -1, -1, -1, -1, -1, -1));
  EXPECT_THAT(Values<uint8_t>((*batch)[1]), ElementsAre('a', 'b', 'c', 'd', 'e', 'f'));
  EXPECT_THAT(Error("tfrecord", {{path}, {}}, {Field("values", DType::kFloat, PartialShape({4}))}),
              HasSubstr("record 1 at byte"));
  EXPECT_THAT(Error("tfrecord", {{path}, {}}, {Field("bytes", DType::kInt64)}), HasSubstr("e, record 0 at byte"));
  EXPECT_THAT(Error("tfrecord", {{files_.Write("n", FramedTfRecord("\xff\xff"))}, {}}, {Field("x", DType::kFloat)}),
              HasSubstr("DataLoss: " + files_.Path("n") + ", record 0 at byte 12: it is no Example message"));
}

TEST_F(SampleFormatsTest, AMissingFeatureListsThoseThereAre) {
  const std::string path = files_.Write("e", Example({1, 2}, "ab"));
  EXPECT_THAT(
      Error("tfrecord", {{path}, {}}, {Field("value", DType::kFloat, PartialShape({2}))}),
      HasSubstr("e, record 0 at byte 12: the feature 'value' is missing, did you mean 'values'?; the record has "
                "bytes, values"));
  EXPECT_THAT(Error("tfrecord", {{files_.Write("n", FramedTfRecord(""))}, {}}, {Field("value", DType::kFloat)}),
              HasSubstr("the feature 'value' is missing; the record has no features"));
}

proto::SequenceExample Sequence(int64_t id, const std::vector<std::vector<int64_t>>& words,
                                const std::vector<float>& scores) {
  proto::SequenceExample example;
  (*example.mutable_context()->mutable_feature())["id"].mutable_int64_list()->add_value(id);
  auto& lists = *example.mutable_feature_lists()->mutable_feature_list();
  for (const auto& step : words) {
    auto* feature = lists["words"].add_feature();
    for (const int64_t word : step) feature->mutable_int64_list()->add_value(word);
  }
  for (const float score : scores) lists["scores"].add_feature()->mutable_float_list()->add_value(score);
  for (size_t i = 0; i < scores.size(); ++i) lists["bytes"].add_feature()->mutable_bytes_list()->add_value("ab");
  return example;
}

TEST_F(SampleFormatsTest, SequenceExamplesArePadded) {
  const std::string path =
      files_.Write("s", FramedTfRecord(Sequence(7, {{1, 2}, {}, {3}}, {0.5, 1.5}).SerializeAsString()) +
                            FramedTfRecord(Sequence(8, {{4, 5, 6}}, {}).SerializeAsString()));
  SampleField words = Field("words", DType::kInt64, PartialShape({-1, -1}));
  words.fallback = "-1";
  const auto batch = Read("tfrecord", {{path}, {}},
                          {Field("id", DType::kInt64), words, Field("scores", DType::kFloat, PartialShape({-1})),
                           Field("bytes", DType::kUint8, PartialShape({-1, 2}))});
  ASSERT_TRUE(batch.ok()) << batch.status().ToString();
  EXPECT_THAT(Values<int64_t>((*batch)[0]), ElementsAre(7, 8));
  EXPECT_EQ((*batch)[1].shape(), Shape({2, 3, 3}));
  EXPECT_THAT(Values<int64_t>((*batch)[1]),
              ElementsAre(1, 2, -1, -1, -1, -1, 3, -1, -1, 4, 5, 6, -1, -1, -1, -1, -1, -1));
  EXPECT_THAT(Values<float>((*batch)[2]), ElementsAre(0.5, 1.5, 0, 0));
  EXPECT_EQ((*batch)[3].shape(), Shape({2, 2, 2}));
  EXPECT_THAT(Values<uint8_t>((*batch)[3]), ElementsAre('a', 'b', 'a', 'b', 0, 0, 0, 0));
  EXPECT_THAT(Error("tfrecord", {{path}, {}}, {Field("scores", DType::kFloat)}),
              HasSubstr("'scores' is a feature list of 2 steps: its shape begins with their number, [-1] for any"));
  EXPECT_THAT(Error("tfrecord", {{path}, {}}, {Field("words", DType::kInt64, PartialShape({-1, 2}))}),
              HasSubstr("step 1 of the feature list 'words' has 0 values; the shape is [?,2]"));
  EXPECT_THAT(Error("tfrecord", {{path}, {}}, {Field("words", DType::kString, PartialShape({-1, -1}))}),
              HasSubstr("the feature 'words' is int64, but string is expected"));
  EXPECT_THAT(Error("tfrecord", {{path}, {}}, {Field("word", DType::kInt64, PartialShape({3}))}),
              HasSubstr("did you mean 'words'?; the record has bytes, id, scores, words"));
}

TEST_F(SampleFormatsTest, WhatFollowsADamagedLengthIsLeftOut) {
  std::string bytes = FramedTfRecord("a") + FramedTfRecord("b") + FramedTfRecord("c");
  bytes[17] ^= 1;
  const std::string path = files_.Write("bad", bytes);
  const std::string good = files_.Write("good", FramedTfRecord("d"));
  EXPECT_THAT(Error("tfrecord", {{path, good}, {}}, {Field("record")}), HasSubstr("bad, record 1 at byte 17: "));
  const auto batch = Read("tfrecord", {{path, good, files_.Path("none")}, {{"on_error", "skip"}}}, {Field("record")});
  ASSERT_TRUE(batch.ok()) << batch.status().ToString();
  EXPECT_THAT(Values<std::string>((*batch)[0]), ElementsAre("a", "d"));
  EXPECT_EQ(record_index_.skipped, 3);  // "b", which is damaged, "c", which follows it, and a file
  std::string many = FramedTfRecord("first");
  const size_t at = many.size();
  for (int i = 0; i < 500; ++i) many += FramedTfRecord(std::string(static_cast<size_t>(i * 7), 'x'));
  many[at] = static_cast<char>(many[at] ^ 4);
  const size_t later = many.size() - 400;
  many[later] = static_cast<char>(many[later] ^ 4);  // within the last record's bytes
  ASSERT_TRUE(Read("tfrecord", {{files_.Write("many", many)}, {{"on_error", "skip"}}}, {Field("record")}).ok());
  EXPECT_EQ(record_index_.samples(), 1);
  EXPECT_EQ(record_index_.skipped, 499);  // the last is no record
}

TEST_F(SampleFormatsTest, ImagesTakeTheirLabelFromTheirDirectory) {
  const uint8_t pixels[] = {1, 2, 3, 4, 5, 6};
  const auto png = [&](int64_t height, int64_t width) { return *EncodePng({height, width, 1, 8}, pixels, -1); };
  files_.Write("cat/1.png", png(2, 3));
  files_.Write("dog/1.png", png(2, 3));
  const SampleConfig config{{files_.Path("*/*.png")}, {}};
  const auto batch = Read("image", config, {Field("image"), Field("label")});
  ASSERT_TRUE(batch.ok()) << batch.status().ToString();
  EXPECT_EQ((*batch)[0].shape(), Shape({2, 2, 3, 1}));
  EXPECT_THAT(Values<int64_t>((*batch)[1]), ElementsAre(0, 1));
  files_.Write("dog/2.png", png(1, 2));
  EXPECT_THAT(Error("image", config, {Field("image")}), HasSubstr("dog/2.png, record 0 at byte 0: 'image' has shape"));
  const auto padded = Read("image", config, {Field("image", DType::kUint8, PartialShape({-1, -1, 1}))}, {2});
  ASSERT_TRUE(padded.ok()) << padded.status().ToString();
  EXPECT_EQ((*padded)[0].shape(), Shape({1, 1, 2, 1}));
  files_.Write("dog/2.png", png(2, 3).substr(0, 50));
  EXPECT_THAT(Error("image", config, {Field("image")}), HasSubstr("dog/2.png, record 0"));
}

// The number of files exceeds the numbers that are mapped, or kept open, at once.
TEST_F(SampleFormatsTest, ManyFiles) {
  constexpr int kFiles = 1100;
  for (int i = 0; i < kFiles; ++i) files_.Write(StrCat("many/", 10'000 + i), StrCat(i, "\n", -i, "\n"));
  std::vector<int64_t> backwards(2 * kFiles);
  std::iota(backwards.rbegin(), backwards.rend(), 0);
  const auto batch =
      Read("csv", {{files_.Path("many/*")}, {}}, {Field("0", DType::kInt64, PartialShape::Scalar())}, backwards);
  ASSERT_TRUE(batch.ok()) << batch.status().ToString();
  for (int i = 0; i < kFiles; ++i) {
    ASSERT_EQ((*batch)[0].data<int64_t>()[2 * i], i + 1 - kFiles);
    ASSERT_EQ((*batch)[0].data<int64_t>()[2 * i + 1], kFiles - 1 - i);
  }
}

}  // namespace
}  // namespace dfrun
