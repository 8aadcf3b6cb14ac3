#include "src/base/json/json_reader.h"

#include <gtest/gtest.h>

namespace dfrun {
namespace {

std::string ReadString(std::string_view text) {
  JsonReader reader(text);
  const std::string value = reader.String();
  return reader.Finish().ok() ? value : "refused";
}

TEST(JsonReader, StringsAreUnescaped) {
  EXPECT_EQ(ReadString(R"("a\"\\\/\b\f\n\r\t")"), "a\"\\/\b\f\n\r\t");
  EXPECT_EQ(ReadString(R"("\u0041\u00e9\u20ac\ud83d\ude00")"), "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  for (const char* wrong : {R"("a)", R"("\x")", R"("\u12")", R"("\u12g4")", R"("\ud83d")", R"("\ud83dx")",
                            R"("\ude00")", R"("\ud83d\u0041")", "\"a\nb\"", R"("\)", R"("a" x)", "", "a"}) {
    EXPECT_EQ(ReadString(wrong), "refused") << wrong;
  }
}

TEST(JsonReader, TheCallerSaysWhatMustCome) {
  JsonReader reader(R"( { "a" : 1 , "list": [ "2", "30" ], "none": [], "last": {} } )");
  reader.BeginObject();
  EXPECT_FALSE(reader.TryName("b"));
  EXPECT_TRUE(reader.TryName("a"));
  EXPECT_EQ(reader.Number(9), 1U);
  reader.Name("list");
  std::vector<uint64_t> numbers;
  reader.BeginArray();
  while (reader.NextElement()) numbers.push_back(reader.QuotedNumber());
  EXPECT_EQ(numbers, (std::vector<uint64_t>{2, 30}));
  reader.Name("none");
  reader.BeginArray();
  EXPECT_FALSE(reader.NextElement());
  reader.Name("last");
  reader.BeginObject();
  reader.EndObject();
  reader.EndObject();
  EXPECT_TRUE(reader.Finish().ok()) << reader.Finish().ToString();
}

TEST(JsonReader, ATextThatEndsTooEarlyIsAnErrorWhateverIsAskedNext) {
  for (const char* cut : {"", "{", "{\n", "{\"a", "{\"a\":", "[\"a"}) {
    JsonReader reader(cut);
    reader.BeginObject();
    for (int i = 0; i < 3; ++i) reader.String();
    EXPECT_EQ(reader.Number(9), 0U);
    EXPECT_EQ(reader.QuotedNumber(), 0U);
    EXPECT_FALSE(reader.NextElement());
    EXPECT_EQ(reader.Finish().code(), Code::kDataLoss) << cut;
  }
}

TEST(JsonReader, TheFirstErrorStays) {
  JsonReader reader(R"({"a": -1, "b": 2})");
  reader.BeginObject();
  reader.Name("a");
  EXPECT_EQ(reader.Number(9), 0U);
  reader.Name("b");
  EXPECT_EQ(reader.Number(9), 0U);
  EXPECT_FALSE(reader.NextElement());
  EXPECT_EQ(reader.Finish().code(), Code::kDataLoss);
  EXPECT_EQ(reader.Finish().message(),
            "at byte 6 a whole number from 0 to 9 was expected, and \"-1, \\\"b\\\": 2}\" found");
}

}  // namespace
}  // namespace dfrun
