#include "src/base/json/json_value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "src/base/json/json_reader.h"

namespace dfrun {
namespace {

using ::testing::HasSubstr;

std::string Reprinted(std::string_view text) {
  const Result<JsonValue> value = ParseJson(text);
  if (value.ok()) return value->Print();
  EXPECT_EQ(value.status().code(), Code::kDataLoss);
  return "refused";
}

TEST(JsonValue, ValuesOfEveryKindAreKept) {
  for (const char* text :
       {"null", "true", "false", "0", "-0", "10", "-1.25e+30", "1E2", "0.5", "123456789012345678901234", R"("a \"b\"")",
        "[]", "{}", R"([1, "1", [], {"a": null}])", R"({"b": 1, "a": {"c": [2]}})"}) {
    EXPECT_EQ(Reprinted(text), text);
  }
  EXPECT_EQ(Reprinted(" { \"a\" :[ 1,2 ] } \n"), R"({"a": [1, 2]})");
}

TEST(JsonValue, OtherTextsAreRefused) {
  for (const char* text : {"",
                           "nul",
                           "True",
                           "01",
                           "1.",
                           ".5",
                           "1e",
                           "+1",
                           "-",
                           "0x1",
                           "nan",
                           "inf",
                           "'a'",
                           "[1,]",
                           "[1 2]",
                           "{\"a\"}",
                           "{\"a\": 1,}",
                           "{a: 1}",
                           "{\"a\": 1, \"a\": 2}",
                           "[",
                           "{",
                           "1 2",
                           "\"a",
                           "{]"}) {
    EXPECT_EQ(Reprinted(text), "refused") << text;
  }
}

TEST(JsonValue, DepthAndSizeAreBounded) {
  const auto nested = [](size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(Reprinted(nested(JsonValue::kMaxDepth)), nested(JsonValue::kMaxDepth));
  EXPECT_EQ(Reprinted(nested(JsonValue::kMaxDepth + 1)), "refused");
  EXPECT_EQ(Reprinted(std::string(1 << 20, '[')), "refused");
  EXPECT_EQ(Reprinted(std::string(1 << 20, '{')), "refused");
  std::string many = "[";
  for (int i = 0; i < 100; ++i) many += "[],";
  many += "[]]";
  JsonReader shorter(many);
  shorter.Value(100);
  EXPECT_THAT(shorter.Finish().message(), HasSubstr("a shorter value"));
  JsonReader whole(many);
  EXPECT_EQ(whole.Value(many.size()).values().size(), 101U);
  EXPECT_TRUE(whole.Finish().ok());
}

TEST(JsonValue, MembersAreSetFoundAndRemoved) {
  JsonValue object = JsonValue::Object();
  object.Set("a", JsonValue::Int(1)).Set("b", JsonValue::Bool(true)).Set("a", JsonValue::Text("x"));
  EXPECT_EQ(object.Print(), R"({"a": "x", "b": true})");
  object.Set("list", JsonValue::Array().Append(JsonValue::Int(7)).Append(JsonValue()));
  object.Remove("a");
  object.Remove("none");
  EXPECT_EQ(object.Print(), R"({"b": true, "list": ["7", null]})");
  EXPECT_EQ(object.Find("a"), nullptr);
  ASSERT_NE(object.Find("list"), nullptr);
  EXPECT_EQ(object.Find("list")->values().size(), 2U);
  EXPECT_EQ(object.Find("list")->Find("b"), nullptr);
}

TEST(JsonValue, NumbersComeBackWithAllTheirBits) {
  for (const double value : {0.0, -0.0, 0.1, 1.0 / 3, -2.5e-308, 5e-324, std::numeric_limits<double>::max(),
                             std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
    const Result<JsonValue> again = ParseJson(JsonValue::Double(value).Print());
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(*again->AsDouble(), value);
    EXPECT_EQ(std::signbit(*again->AsDouble()), std::signbit(value));
  }
  EXPECT_TRUE(std::isnan(*JsonValue::Double(std::nan("")).AsDouble()));
  for (const int64_t value : {int64_t{0}, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()}) {
    EXPECT_EQ(*ParseJson(JsonValue::Int(value).Print())->AsInt(), value);
  }
  EXPECT_EQ(*ParseJson("40")->AsInt(), 40);
  EXPECT_EQ(*ParseJson("0.25")->AsDouble(), 0.25);
}

TEST(JsonValue, AnotherKindIsAnErrorWithTheName) {
  const Result<JsonValue> object = ParseJson(R"({"a": "x", "b": 1.5, "c": true, "d": "1 ", "e": []})");
  ASSERT_TRUE(object.ok());
  EXPECT_EQ(*object->GetText("a"), "x");
  EXPECT_EQ(*object->GetDouble("b"), 1.5);
  EXPECT_EQ(*object->GetBool("c"), true);
  EXPECT_THAT(object->GetInt("z").status().message(), HasSubstr("\"z\" is missing"));
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    EXPECT_EQ(object->GetInt(name).status().code(), Code::kDataLoss) << name;
    EXPECT_THAT(object->GetInt(name).status().message(), HasSubstr(StrCat("\"", name, "\""))) << name;
  }
  EXPECT_FALSE(object->GetDouble("d").ok());
  EXPECT_FALSE(object->GetText("b").ok());
  EXPECT_FALSE(object->GetBool("a").ok());
}

}  // namespace
}  // namespace dfrun
