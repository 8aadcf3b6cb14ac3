#include "src/runs/metrics_file.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

std::string Described(std::string_view text) {
  MetricsLine line;
  if (!ReadMetricsLine(text, &line)) return "none";
  std::string out = std::to_string(line.step);
  for (const MetricValue& value : line.values) out += StrCat(" ", value.name, "=", value.json);
  return out;
}

TEST(MetricsLineTest, ValuesAreReadByName) {
  EXPECT_EQ(Described(R"({"step": 10, "wall_s": 0.5, "loss": -1.25e-05, "ok": true, "text": "a, \"b\"}", "x": "NaN"})"),
            R"(10 loss=-1.25e-05 ok=true text="a, \"b\"}" x="NaN")");
  EXPECT_EQ(Described(R"({"step":3,"l\"o\u0041":1})"), "3 l\"oA=1");
  EXPECT_EQ(Described(R"({"step": 0})"), "0");
}

TEST(MetricsLineTest, ALineThatWasCutShortAnywhereIsNone) {
  const std::string whole = R"({"step": 10, "wall_s": 0.5, "loss": 1.25, "text": "a"})";
  ASSERT_NE(Described(whole), "none");
  for (size_t length = 0; length < whole.size(); ++length) EXPECT_EQ(Described(whole.substr(0, length)), "none");
}

TEST(MetricsLineTest, OtherTextIsNone) {
  for (const char* const text : {"", "{}", "[]", "{\"loss\": 1}", "{\"step\": -1}", "{\"step\": 1.5}", "{\"step\": 1} ",
                                 "{\"step\": 1, \"a\": [1]}", "{\"step\": 1, \"a\": {}}", "{\"step\": 1,, \"a\": 2}"}) {
    EXPECT_EQ(Described(text), "none") << text;
  }
}

TEST(MetricsLineTest, NumbersAreWhatTheySay) {
  EXPECT_EQ(NumberOf("-1.5e3"), -1500.0);
  EXPECT_EQ(NumberOf("true"), 1.0);
  EXPECT_EQ(NumberOf("\"-Infinity\""), -INFINITY);
  EXPECT_TRUE(std::isnan(*NumberOf("\"NaN\"")));
  EXPECT_EQ(NumberOf("\"1\""), std::nullopt);
  EXPECT_EQ(NumberOf("0123456789abcdeg"), std::nullopt);
}

TEST(MetricsReaderTest, DamagedLinesArePassedOver) {
  const ScratchDirectory scratch;
  scratch.Write("m", "{\"step\": 1, \"a\": 1}\n{\"step\": 2, \"a\n\n{\"step\": 3, \"a\": 3}\n{\"step\": 4, \"a\": 4}");
  Result<MetricsReader> reader = MetricsReader::Open(scratch.Path("m"));
  ASSERT_TRUE(reader.ok());
  std::vector<int64_t> steps;
  MetricsLine line;
  while (*reader->Next(&line)) steps.push_back(line.step);
  EXPECT_EQ(steps, (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(MetricsReader::Open(scratch.Path("none")).status().code(), Code::kNotFound);
}

TEST(MetricsReaderTest, LinesThatSpanBlocksAreWhole) {
  const ScratchDirectory scratch;
  std::string text;
  constexpr int kLines = 40000;  // some 3 MB
  for (int i = 0; i < kLines; ++i) {
    text += StrCat("{\"step\": ", i, ", \"wall_s\": 1, \"some_long_name_of_a_metric_here\": ", i * 3, "}\n");
  }
  scratch.Write("m", text);
  Result<MetricsReader> reader = MetricsReader::Open(scratch.Path("m"));
  MetricsLine line;
  int64_t next = 0;
  while (*reader->Next(&line)) {
    ASSERT_EQ(line.step, next);
    ASSERT_EQ(NumberOf(line.values[0].json), static_cast<double>(next * 3));
    ++next;
  }
  EXPECT_EQ(next, kLines);
}

// A file whose evaluations stand far before its end, and whose last line was cut short.
std::string LongFile() {
  std::string text;
  for (int i = 1; i <= 3000; ++i) {
    text += StrCat("{\"step\": ", i, ", \"wall_s\": ", i, ", \"memory/x\": 5, \"loss\": ", 5000 - i, "}\n");
    if (i == 100 || i == 200)
      text += StrCat("{\"step\": ", i, ", \"wall_s\": ", i, ", \"eval/acc\": 0.", i / 100, "}\n");
    if (i == 150) text += "{\"step\": 150, \"wall_s\": 9, \"test/acc\": \"NaN\", \"test/b\": 7}\n";
  }
  return text + "{\"step\": 3001, \"wall_s\": 3001, \"loss\": 19";
}

TEST(MetricsEndTest, LastValuesAreFoundWhereverTheyStand) {
  const ScratchDirectory scratch;
  scratch.Write("m", LongFile());
  const Result<MetricsEnd> end = ReadMetricsEnd(scratch.Path("m"), {"eval", "test", "none"}, {});
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end->step, 3000);
  EXPECT_EQ(end->wall_s, 3000);
  std::string found;
  for (const LastMetric& metric : end->last) found += StrCat(metric.name, "=", metric.json, "@", metric.step, " ");
  EXPECT_EQ(found, "eval/acc=0.2@200 loss=2000@3000 test/acc=\"NaN\"@150 test/b=7@150 ");
  EXPECT_FALSE(end->best);
}

TEST(MetricsEndTest, TheBestValueIsThatOfTheGoal) {
  const ScratchDirectory scratch;
  scratch.Write(
      "m",
      "{\"step\": 1, \"e/x\": \"NaN\"}\n{\"step\": 2, \"e/x\": 0.5, \"e/y\": 9}\n{\"step\": 3, \"e/x\": 0.75}\n"
      "{\"step\": 4, \"e/x\": 0.75}\n{\"step\": 5, \"e/x\": 0.25}\n{\"step\": 6, \"e/x\": 0.9");
  const Result<MetricsEnd> most = ReadMetricsEnd(scratch.Path("m"), {}, MetricGoal{"e/x", true});
  ASSERT_TRUE(most.ok() && most->best);
  EXPECT_EQ(most->best->value, 0.75);
  EXPECT_EQ(most->best->step, 3);
  const Result<MetricsEnd> least = ReadMetricsEnd(scratch.Path("m"), {}, MetricGoal{"e/x", false});
  EXPECT_EQ(least->best->value, 0.25);
  EXPECT_EQ(least->best->step, 5);
  EXPECT_FALSE(ReadMetricsEnd(scratch.Path("m"), {}, MetricGoal{"e/z", false})->best);
}

TEST(MetricsEndTest, AnEmptyFileHasNothing) {
  const ScratchDirectory scratch;
  for (const char* const text : {"", "\n", "{\"step\": 1, \"a\": 1}", "other\n"}) {
    scratch.Write("m", text);
    const Result<MetricsEnd> end = ReadMetricsEnd(scratch.Path("m"), {"eval"}, MetricGoal{"eval/x", false});
    ASSERT_TRUE(end.ok());
    EXPECT_EQ(end->step, 0);
    EXPECT_TRUE(end->last.empty());
    EXPECT_FALSE(end->best);
  }
}

}  // namespace
}  // namespace dfrun
