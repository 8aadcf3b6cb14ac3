#include "src/costs/measured_costs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/costs/node_key.h"
#include "src/costs/predict.h"
#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

constexpr char kDevice[] = "/job:worker/task:0/device:cpu:0";

std::string Slice(const std::string& name, int lane, const std::string& us) {
  return R"({"name":")" + name + R"(","cat":"Relu","ph":"X","pid":0,"tid":)" + std::to_string(lane) +
         R"(,"ts":1.000,"dur":)" + us + R"(,"args":{"op":"Relu","device":")" + kDevice + R"(","step":1}},)" + "\n";
}

class MeasuredCostsTest : public ::testing::Test {
 protected:
  void WriteTrace(int rank, const std::string& lines) {
    scratch_.Write("trace/rank-" + std::to_string(rank) + ".json", lines);
  }

  ScratchDirectory scratch_;
};

TEST_F(MeasuredCostsTest, ReadsTheTimesOfNodesThatHoldAThread) {
  WriteTrace(0, R"({"name":"thread_name","ph":"M","pid":0,"tid":0,"args":{"name":"thread 0"}},)"
                "\n"
                R"({"name":"thread_name","ph":"M","pid":0,"tid":1,"args":{"name":"waiting 0"}},)"
                "\n" +
                    Slice("x", 0, "2.500") + Slice("x", 0, "0.000") + Slice("read", 1, "9.000") +
                    Slice("bad", 0, "nan") +
                    R"({"name":"send x","ph":"X","tid":0,"dur":1,"args":{"peer":1}},)"
                    "\n" +
                    Slice("torn", 0, "7").substr(0, 40));
  WriteTrace(1, Slice("x", 0, "1.000"));
  const Result<TracedTimes> times = ReadTracedTimes(scratch_.path());
  ASSERT_TRUE(times.ok()) << times.status().message();
  ASSERT_EQ(times->size(), 1U);
  using ::testing::DoubleEq;
  EXPECT_THAT(times->at({kDevice, "x"}), ::testing::ElementsAre(DoubleEq(2.5e-6), DoubleEq(1e-9), DoubleEq(1e-6)));
}

TEST_F(MeasuredCostsTest, ARunWithoutATraceIsAnError) {
  const Result<TracedTimes> times = ReadTracedTimes(scratch_.path());
  EXPECT_EQ(times.status().code(), Code::kNoInput);
  EXPECT_NE(times.status().message().find("--trace"), std::string::npos);
}

TEST_F(MeasuredCostsTest, AnotherGraphProfitsFromTheMedians) {
  testing::GraphMaker traced;
  const Output in = traced.Placeholder("in", {8}, DType::kFloat);
  traced.Add("a", "Relu", {in});
  traced.Add("b", "Relu", {in});
  traced.Add("c", "Tanh", {in});
  MeasuredCosts costs({{{kDevice, "a"}, {5, 1, 2}},
                       {{kDevice, "b"}, {3, 4}},
                       {{kDevice, "c"}, {7}},
                       {{kDevice, "gone"}, {1}},
                       {{"/job:worker/task:1/device:cpu:0", "c"}, {100}}});
  costs.Add(traced.graph, kDevice);
  costs.Add(traced.graph, kDevice);  // nodes keep their place
  EXPECT_EQ(costs.num_traced(), 5U);
  EXPECT_EQ(costs.num_nodes(), 3U);

  CostTable table;
  table.threads = 2;
  EXPECT_GT(costs.Compare(table).median_error, 0.99);
  EXPECT_EQ(costs.Compare(table).traced_s, 2 + 4 + 7);
  EXPECT_EQ(costs.MergeInto(table), 2U);
  // 3 against medians of 2 and 4, and 7 against 7: errors of 1/2, 1/4 and 0.
  EXPECT_DOUBLE_EQ(costs.Compare(table).median_error, 0.25);
  EXPECT_EQ(costs.Compare(table).predicted_s, 3 + 3 + 7);

  testing::GraphMaker other;
  const Output relu = other.Add("elsewhere", "Relu", {other.Placeholder("x", {8}, DType::kFloat)});
  const PredictedTime time = NodeTime(other.graph, other.graph.node(relu.node), "cpu", table);
  EXPECT_TRUE(time.is_measured);
  EXPECT_EQ(time.seconds, 3);  // the median of 1, 2, 3, 4 and 5
  EXPECT_EQ(table.Measured(NodeKey(other.graph, other.graph.node(relu.node), "cpu", 2))->samples, 5);
}

}  // namespace
}  // namespace dfrun
