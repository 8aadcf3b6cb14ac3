#include <gtest/gtest.h>

#include <cmath>

#include "src/runs/metric_differences.h"
#include "src/runs/state_differences.h"
#include "src/runs/trace_times.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

MetricsComparison Compared(const std::string& a, const std::string& b) {
  const ScratchDirectory scratch;
  scratch.Write("a", a);
  scratch.Write("b", b);
  Result<MetricsComparison> found = CompareMetrics(scratch.Path("a"), scratch.Path("b"));
  EXPECT_TRUE(found.ok()) << found.status().message();
  return *std::move(found);
}

constexpr const char* kRun =
    "{\"step\": 10, \"wall_s\": 1, \"waiting/mean\": 0.5, \"memory/x\": 5, \"loss\": 1.5, \"state\": \"0a\"}\n"
    "{\"step\": 10, \"wall_s\": 3, \"eval/acc\": 0.5}\n"
    "{\"step\": 20, \"wall_s\": 5, \"samples_per_s\": 7, \"loss\": 1.25, \"state\": \"0b\"}\n";

TEST(MetricDifferencesTest, TimesAndMemoryDoNotCount) {
  const MetricsComparison found = Compared(
      kRun,
      "{\"step\": 10, \"wall_s\": 2, \"waiting/mean\": 0.25, \"memory/x\": 6, \"loss\": 1.5, \"state\": \"0a\"}\n"
      "{\"step\": 10, \"wall_s\": 2.5, \"eval/acc\": 0.5}\n"
      "{\"step\": 20, \"wall_s\": 6.5, \"samples_per_s\": 9, \"loss\": 1.25, \"state\": \"0b\"}\n{\"step\": 30, ");
  EXPECT_TRUE(found.is_equal());
  EXPECT_EQ(found.steps, 2);
  EXPECT_EQ(found.states, 2);
  EXPECT_EQ(found.time_a.steps, 10);
  EXPECT_DOUBLE_EQ(found.time_a.seconds, 2);  // without that of the evaluation
  EXPECT_DOUBLE_EQ(found.time_b.seconds, 4);
}

TEST(MetricDifferencesTest, TheFirstAndTheLargestAreFound) {
  const MetricsComparison found = Compared(
      "{\"step\": 1, \"a\": 1, \"b\": 2}\n{\"step\": 2, \"a\": 1, \"b\": 2}\n{\"step\": 3, \"a\": 100, \"b\": 2}\n",
      "{\"step\": 1, \"a\": 1, \"b\": 2}\n{\"step\": 2, \"a\": 1, \"b\": 4}\n{\"step\": 3, \"a\": 90, \"b\": 2}\n");
  ASSERT_EQ(found.first.size(), 1U);
  EXPECT_EQ(found.first[0].step, 2);
  EXPECT_EQ(found.first[0].name, "b");
  EXPECT_EQ(found.absolute->value, 10);
  EXPECT_EQ(found.absolute->of.step, 3);
  EXPECT_EQ(found.relative->value, 0.5);
  EXPECT_EQ(found.relative->of.step, 2);
  EXPECT_FALSE(found.is_equal());
}

TEST(MetricDifferencesTest, OneBitOfAFloatCounts) {
  const MetricsComparison found = Compared("{\"step\": 1, \"a\": 0.1}\n", "{\"step\": 1, \"a\": 0.10000001}\n");
  EXPECT_EQ(found.first.size(), 1U);
  EXPECT_EQ(Compared("{\"step\": 1, \"a\": 0}\n", "{\"step\": 1, \"a\": -0}\n").first.size(), 1U);
}

TEST(MetricDifferencesTest, ValuesThatAreNotFiniteAreInfinitelyFar) {
  const MetricsComparison found =
      Compared("{\"step\": 1, \"a\": \"NaN\", \"b\": \"NaN\"}\n", "{\"step\": 1, \"a\": 1, \"b\": \"NaN\"}\n");
  ASSERT_EQ(found.first.size(), 1U);
  EXPECT_TRUE(std::isinf(found.absolute->value));
  EXPECT_TRUE(std::isinf(found.relative->value));
}

TEST(MetricDifferencesTest, StepsAndMetricsOfOneRunAloneCount) {
  const MetricsComparison longer = Compared(kRun, std::string(kRun) + "{\"step\": 30, \"loss\": 1}\n");
  EXPECT_EQ(longer.first_only_b, 30);
  EXPECT_FALSE(longer.first_only_a);
  EXPECT_FALSE(longer.is_equal());
  const MetricsComparison other =
      Compared("{\"step\": 5, \"a\": 1}\n{\"step\": 10, \"a\": 1}\n", "{\"step\": 10, \"a\": 1, \"b\": 2}\n");
  EXPECT_EQ(other.first_only_a, 5);
  ASSERT_EQ(other.first.size(), 1U);
  EXPECT_EQ(other.first[0].a, "");
  EXPECT_EQ(other.first[0].b, "2");
}

TEST(MetricDifferencesTest, FingerprintsAreToldApartFromMetrics) {
  std::string other = kRun;
  other.replace(other.find("0b"), 2, "0c");
  const MetricsComparison found = Compared(kRun, other);
  EXPECT_TRUE(found.first.empty());
  EXPECT_EQ(found.first_state, 20);
  EXPECT_FALSE(found.is_equal());
}

TEST(StateDifferencesTest, TheFirstStepAndItsVariablesAreFound) {
  const StateContents a{{"b", "w"}, {{10, {1, 2}}, {20, {3, 4}}, {30, {5, 6}}}};
  StateContents b = a;
  EXPECT_TRUE(CompareStates(a, b).is_equal());
  EXPECT_EQ(CompareStates(a, b).steps, 3);
  b.records[1].of_variables[1] ^= uint64_t{1} << 63;
  b.records[2].of_variables = {0, 0};
  const StateComparison found = CompareStates(a, b);
  EXPECT_EQ(found.first, 20);
  EXPECT_EQ(found.variables, std::vector<std::string>{"w"});
  EXPECT_EQ(found.steps, 2);
}

TEST(StateDifferencesTest, VariablesAndStepsAreMatchedByName) {
  const StateContents a{{"b", "w"}, {{10, {1, 2}}, {20, {3, 4}}}};
  const StateContents b{{"c", "w"}, {{5, {0, 0}}, {20, {9, 4}}, {30, {0, 0}}}};
  const StateComparison found = CompareStates(a, b);
  EXPECT_EQ(found.first, -1);
  EXPECT_EQ(found.steps, 1);
  EXPECT_EQ(found.only_a, std::vector<std::string>{"b"});
  EXPECT_EQ(found.only_b, std::vector<std::string>{"c"});
  EXPECT_FALSE(found.is_equal());
}

TEST(TraceTimesTest, NodesAreSummedByOp) {
  const ScratchDirectory scratch;
  scratch.Write("trace/rank-0.json",
                "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
                "{\"name\":\"a\",\"cat\":\"MatMul\",\"ph\":\"X\",\"pid\":0,\"tid\":1,\"ts\":1.000,\"dur\":2.500,"
                "\"args\":{\"op\":\"MatMul\",\"device\":\"d\",\"step\":1}},\n"
                "{\"name\":\"b\",\"cat\":\"MatMul\",\"ph\":\"X\",\"pid\":0,\"tid\":1,\"ts\":1.000,\"dur\":0.500,"
                "\"args\":{\"op\":\"MatMul\",\"device\":\"d\",\"step\":2,\"bytes\":4}},\n"
                "{\"name\":\"send x\",\"cat\":\"send\",\"ph\":\"X\",\"pid\":0,\"tid\":1,\"ts\":1.000,\"dur\":9.000,"
                "\"args\":{\"step\":2,\"peer\":1}}\n]}\n");
  scratch.Write("trace/rank-1.json",
                "{\"name\":\"c\",\"cat\":\"Add\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1.000,\"dur\":1.000,"
                "\"args\":{\"op\":\"Add\",\"device\":\"d\",\"step\":2}},\n{\"name\":\"d\",\"cat\":\"Add\",\"ph\":\"X\","
                "\"dur\":8");
  const Result<TraceTimes> times = ReadTraceTimes(scratch.Path(""));
  ASSERT_TRUE(times.ok());
  EXPECT_EQ(times->steps, 2);
  EXPECT_EQ(times->us_by_op, (std::map<std::string, double>{{"Add", 1}, {"MatMul", 3}}));
  EXPECT_EQ(ReadTraceTimes(scratch.Path("none"))->steps, 0);
}

}  // namespace
}  // namespace dfrun
