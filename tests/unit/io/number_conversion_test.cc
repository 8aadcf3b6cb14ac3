// Numbers of files in dtypes that cannot hold all of them: some are rounded, some are converted, and some are refused
// with the file and the record.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/image/png.h"
#include "kernels/io/convert_elements.h"
#include "kernels/io/parse_element.h"
#include "kernels/io/record_format.h"
#include "src/hdf5/tensor_hdf5.h"
#include "src/storage/example.pb.h"
#include "src/storage/sample_source.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class NumberConversion : public ::testing::Test {
 protected:
  // Returns the samples of a file, or the error.
  Result<Tensor> Read(const std::string& format, const std::string& path, SampleField field,
                      std::map<std::string, std::string, std::less<>> options = {}) {
    DF_ASSIGN(const std::unique_ptr<SampleSource> source,
              SampleFormats::Find(format)->open({{path}, std::move(options)}));
    DF_TRY(source->AddField(field));
    settled_ = field;
    counted_ = source->Count();
    DF_TRY(counted_.status());
    DF_ASSIGN(const int64_t samples, source->Load(*counted_));
    std::vector<int64_t> wanted(static_cast<size_t>(samples));
    std::iota(wanted.begin(), wanted.end(), 0);
    DF_ASSIGN(std::vector<Tensor> batch, source->Gather(wanted, SystemAllocator()));
    return std::move(batch[0]);
  }
  std::string Text(const Result<Tensor>& read) { return read.ok() ? read->ToString() : read.status().ToString(); }
  std::string Csv(const std::string& lines, DType dtype, const std::string& on_error = "fail") {
    return Text(Read("csv", files_.Write("t.csv", lines), {"0", dtype, PartialShape(), {}}, {{"on_error", on_error}}));
  }

  ScratchDirectory files_;
  SampleField settled_;
  Result<RecordIndex> counted_{RecordIndex()};
};

std::string Example(const std::vector<int64_t>& integers, const std::vector<float>& floats) {
  proto::Example example;
  auto& features = *example.mutable_features()->mutable_feature();
  features["i"].mutable_int64_list();
  for (const int64_t i : integers) features["i"].mutable_int64_list()->add_value(i);
  for (const float f : floats) features["f"].mutable_float_list()->add_value(f);
  return FramedTfRecord(example.SerializeAsString());
}

TEST_F(NumberConversion, AnIntegerThatTheDefaultDtypeWouldRoundIsAnError) {
  EXPECT_EQ(Csv("1\n16777216\n-16777216\n33554436\n", DType::kInvalid),
            "float32[4] 1 1.67772e+07 -1.67772e+07 3.35544e+07");
  EXPECT_TRUE(settled_.is_exact);
  for (const char* number : {"16777217", "-16777217", " 0016777217 ", "+16777217", "16777217.", "16777217.000"}) {
    EXPECT_THAT(Csv(StrCat("1\n\n2\n", number, "\n"), DType::kInvalid),
                HasSubstr("t.csv:4, record 2 at byte 5: column 0: the integer"))
        << number;
    EXPECT_FALSE(counted_.ok()) << number << " is found before a sample is needed";
  }
  EXPECT_EQ(
      Csv("16777217\n", DType::kInvalid),
      "NoInput: " + files_.Path("t.csv") +
          ":1, record 0 at byte 0: column 0: the integer 16777217 would become 16777216 as float32, the dtype where "
          "none is given: give the tensor `dtype: int64`, or `dtype: float32` to have such numbers rounded");
  EXPECT_THAT(Csv("18446744073709551615\n", DType::kInvalid), HasSubstr("`dtype: uint64`, or"));
  EXPECT_THAT(Csv("18446744073709551617\n", DType::kInvalid), HasSubstr("`dtype: string`, or"));
  EXPECT_EQ(Csv("18446744073709551616\n", DType::kInvalid), "float32[1] 1.84467e+19");  // 2^64
  // A float may be rounded.
  EXPECT_EQ(Csv("16777217.5\n0.123456789\n1e11\n", DType::kInvalid), "float32[3] 1.67772e+07 0.123457 1e+11");
  EXPECT_EQ(Csv("16777217\n", DType::kFloat), "float32[1] 1.67772e+07");
  EXPECT_EQ(Csv("9007199254740993\n", DType::kDouble), "float64[1] 9.0072e+15");
  EXPECT_EQ(Csv("16777217\n", DType::kInt64), "int64[1] 16777217");
}

// Rounded integers are an error of the spec and leave no sample out.
TEST_F(NumberConversion, SkippingErrorsDoesNotSkipRoundedIntegers) {
  EXPECT_THAT(Csv("1\nx\n16777217\n", DType::kInvalid, "skip"), HasSubstr("NoInput: "));
  EXPECT_EQ(Csv("1\nx\n16777217\n", DType::kFloat, "skip"), "float32[2] 1 1.67772e+07");
  EXPECT_EQ(counted_->skipped, 1);
  // A stated dtype decides which numbers are good.
  EXPECT_EQ(Csv("1\n300\n2\n", DType::kUint8, "skip"), "uint8[2] 1 2");
  EXPECT_EQ(counted_->skipped, 1);
}

TEST_F(NumberConversion, TextThatADtypeCannotHoldIsAnError) {
  const std::string at = files_.Path("t.csv") + ":2, record 1 at byte 2: column 0: ";
  EXPECT_EQ(Csv("1\n3000000000\n", DType::kInt32), "DataLoss: " + at + "'3000000000' is no int32");
  EXPECT_FALSE(counted_.ok());
  EXPECT_EQ(Csv("1\n300\n", DType::kUint8), "DataLoss: " + at + "'300' is no uint8");
  EXPECT_EQ(Csv("1\n-1\n", DType::kUint64), "DataLoss: " + at + "'-1' is no uint64");
  EXPECT_EQ(Csv("1\n1e39\n", DType::kFloat), "DataLoss: " + at + "'1e39' is beyond the range of float32");
  EXPECT_EQ(Csv("1\n-70000\n", DType::kHalf), "DataLoss: " + at + "'-70000' is beyond the range of float16");
  EXPECT_EQ(Csv("1\n2.5\n", DType::kInt64), "DataLoss: " + at + "'2.5' is no int64");
  EXPECT_EQ(Csv("1\n2\n", DType::kBool), "DataLoss: " + at + "'2' is no bool");
  EXPECT_EQ(Csv("inf\n-Infinity\nnan\n1e-60\n", DType::kFloat), "float32[4] inf -inf nan 0");
  EXPECT_EQ(Csv("2.0\n3e2\n-1.50e1\n", DType::kInt16), "int16[3] 2 300 -15");
  EXPECT_EQ(Csv("0\nTrue\nfalse\n1\n", DType::kBool), "bool[4] 0 1 0 1");
  EXPECT_EQ(Csv("1.5\n", DType::kBfloat16), "bfloat16[1] 1.5");
  EXPECT_THAT(Csv("1\n", DType::kComplex64), HasSubstr("'0' cannot be complex64"));
}

TEST_F(NumberConversion, LongIntegersAreFoundWhereverTheyStand) {
  const auto found = [](const std::string& text, size_t from) {
    const std::optional<DigitRun> run = FindLongInteger(text, 8, from);
    return run ? StrCat(run->begin, "+", run->count) : "";
  };
  for (size_t before = 0; before < 20; ++before) {
    for (size_t digits = 1; digits < 12; ++digits) {
      const std::string text = std::string(before, 'x') + std::string(digits, '7') + ",1";
      EXPECT_EQ(found(text, 0), digits >= 8 ? StrCat(before, "+", digits) : "") << text;
    }
  }
  EXPECT_EQ(found("0.123456789,1234567.123456789", 0), "");
  EXPECT_EQ(found("0.123456789,12345678.5", 0), "12+8");
  EXPECT_EQ(found("12345678,123456789", 8), "9+9");
  EXPECT_EQ(found("12345678", 8), "");
}

// The error concerns only columns whose field may not hold the integer.
TEST_F(NumberConversion, LongIntegersOfOtherColumnsAreNoneOfAFieldsBusiness) {
  const auto csv = [&](const std::string& text, const char* from) {
    return Text(Read("csv", files_.Write("t.csv", text), {from, DType::kInvalid, PartialShape(), {}}));
  };
  EXPECT_EQ(csv("1,2,16777217\n1,3,16777217\n", "1"), "float32[2] 2 3");
  EXPECT_THAT(csv("1,2,3\n123456789,3,16777217\n", "2"),
              HasSubstr("t.csv:2, record 1 at byte 6: column 2: the integer"));
  EXPECT_FALSE(counted_.ok());
  EXPECT_THAT(csv("a,2,3\n\"b,c\",16777217,4\n", "1:3"),
              HasSubstr("t.csv:2, record 1 at byte 6: column 1: the integer"));
  EXPECT_FALSE(counted_.ok());
  EXPECT_EQ(csv("a,2,3\n\"b,16777217\",5,4\n", "1:3"), "float32[2,2] 2 3 5 4");
}

TEST_F(NumberConversion, FeaturesAreConverted) {
  const std::string path =
      files_.Write("e", Example({1, 0, 255}, {0.5, 1.5}) + Example({-3, 4, 5000000000}, {70000, 2}));
  const auto read = [&](const char* from, DType dtype, int64_t size) {
    return Text(Read("tfrecord", path, {from, dtype, PartialShape({size}), {}}));
  };
  EXPECT_EQ(read("i", DType::kDouble, 3), "float64[2,3] 1 0 255 -3 4 5e+09");
  EXPECT_EQ(read("i", DType::kFloat, -1), "float32[2,3] 1 0 255 -3 4 5e+09");
  EXPECT_EQ(read("i", DType::kBool, 3), "bool[2,3] 1 0 1 1 1 1");
  const std::string second = files_.Path("e") + ", record 1 at byte ";
  EXPECT_THAT(read("i", DType::kInt32, 3), HasSubstr(second));
  EXPECT_THAT(read("i", DType::kInt32, 3), HasSubstr("the feature 'i' has 5000000000, which is no int32"));
  EXPECT_THAT(read("i", DType::kUint8, 3), HasSubstr("the feature 'i' has -3, which is no uint8"));
  EXPECT_EQ(read("f", DType::kDouble, 2), "float64[2,2] 0.5 1.5 70000 2");
  EXPECT_THAT(read("f", DType::kHalf, 2), HasSubstr("the feature 'f' has 70000, which is no float16"));
  EXPECT_THAT(read("f", DType::kInt32, 2), HasSubstr("'f' is float32, but int32 is expected; read it as float32"));
  const std::string good = files_.Write("g", Example({1, 0, 255}, {}) + Example({7, 8, 9}, {}));
  EXPECT_EQ(Text(Read("tfrecord", good, {"i", DType::kInt32, PartialShape({3}), {}})), "int32[2,3] 1 0 255 7 8 9");
  EXPECT_EQ(Text(Read("tfrecord", good + "", {"i", DType::kUint8, PartialShape({3}), {}}, {{"on_error", "skip"}})),
            "uint8[2,3] 1 0 255 7 8 9");
  EXPECT_EQ(Text(Read("tfrecord", path, {"i", DType::kUint8, PartialShape({3}), {}}, {{"on_error", "skip"}})),
            "uint8[1,3] 1 0 255");
}

TEST_F(NumberConversion, StepsOfAFeatureListAreConverted) {
  proto::SequenceExample example;
  auto& list = (*example.mutable_feature_lists()->mutable_feature_list())["w"];
  for (const int64_t i : {1, 2, 3}) list.add_feature()->mutable_int64_list()->add_value(i);
  const std::string path = files_.Write("s", FramedTfRecord(example.SerializeAsString()));
  EXPECT_EQ(Text(Read("tfrecord", path, {"w", DType::kInt32, PartialShape({-1}), {}})), "int32[1,3] 1 2 3");
  list.add_feature()->mutable_int64_list()->add_value(int64_t{1} << 40);
  files_.Write("s", FramedTfRecord(example.SerializeAsString()));
  EXPECT_THAT(Text(Read("tfrecord", path, {"w", DType::kInt32, PartialShape({-1}), {}})),
              HasSubstr("the feature 'w' has 1099511627776, which is no int32"));
}

TEST_F(NumberConversion, DatasetsAreConverted) {
  {
    const h5::Handle file = *h5::CreateFile(files_.Path("x.h5"));
    ASSERT_TRUE(WriteTensor(file, "/i", Tensor::Vector<int64_t>({1, 2, int64_t{1} << 31})).ok());
    ASSERT_TRUE(WriteTensor(file, "/d", Tensor::Vector<double>({1.5, -1e300, HUGE_VAL})).ok());
  }
  const auto read = [&](const char* from, DType dtype) {
    return Text(Read("hdf5", files_.Path("x.h5"), {from, dtype, PartialShape(), {}}));
  };
  EXPECT_EQ(read("/i", DType::kUint32), "uint32[3] 1 2 2147483648");
  EXPECT_EQ(read("/i", DType::kInt32),
            "DataLoss: " + files_.Path("x.h5") + ", sample 2 of '/i': 2147483648 is no int32");
  EXPECT_EQ(read("/d", DType::kFloat),
            "DataLoss: " + files_.Path("x.h5") + ", sample 1 of '/d': -1e+300 is no float32");
  EXPECT_EQ(read("/d", DType::kDouble), "float64[3] 1.5 -1e+300 inf");
}

TEST_F(NumberConversion, ImagesAndTheirLabelsAreConverted) {
  const uint8_t pixels[] = {1, 2, 254, 255};
  files_.Write("cat/1.png", *EncodePng({2, 2, 1, 8}, pixels, -1));
  files_.Write("dog/1.png", *EncodePng({2, 2, 1, 8}, pixels, -1));
  const auto read = [&](const char* from, DType dtype) {
    return Text(Read("image", files_.Path("*/1.png"), {from, dtype, PartialShape(), {}}));
  };
  EXPECT_EQ(read("image", DType::kFloat), "float32[2,2,2,1] 1 2 254 255 1 2 254 255");
  EXPECT_THAT(read("image", DType::kInt8), HasSubstr("the image has 254, which is no int8"));
  EXPECT_THAT(read("image", DType::kString), HasSubstr("'image' cannot be string"));
  EXPECT_EQ(read("label", DType::kInt32), "int32[2] 0 1");
  EXPECT_EQ(read("label", DType::kUint8), "uint8[2] 0 1");
}

TEST(ConvertElements, FiniteNumbersStayFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double from[] = {1, infinity, std::nan(""), 3.4028234e38, 3.5e38};
  float to[5];
  EXPECT_FALSE(ConvertElements(DType::kDouble, from, DType::kFloat, to, 4));
  EXPECT_EQ(to[1], infinity);
  const auto failed = ConvertElements(DType::kDouble, from, DType::kFloat, to, 5);
  ASSERT_TRUE(failed.has_value());
  EXPECT_EQ(failed->element, 4);
  const int64_t integers[] = {65504, 65520};
  float16 halves[2];
  EXPECT_FALSE(ConvertElements(DType::kInt64, integers, DType::kHalf, halves, 1));
  EXPECT_EQ(ConvertElements(DType::kInt64, integers, DType::kHalf, halves, 2)->text, "65520");
}

}  // namespace
}  // namespace dfrun
