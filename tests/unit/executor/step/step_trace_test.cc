#include "src/session/trace/step_trace.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "tests/unit/executor/test_nodes.h"

namespace dfrun::testing {
namespace {

TEST(StepTraceTest, HasARecordForEachKernelThatRan) {
  TestDevice device;
  TestGraph graph;
  const Output x = {graph.Add("Work", {graph.Fixed(Filled(1, 1))}, {{"ns", 200'000}, {"expensive", true}}), 0};
  const Output y = {graph.Add("Later", {x}), 0};
  graph.Fetch({graph.Add("Negate", {y}), 0});
  const auto plan = MakePlan(graph.graph(), device);
  WorkerPool pool(1);
  StepTrace trace;
  std::vector<Tensor> fetches(1);
  const int64_t before_ns = StepTrace::NowNs();
  ASSERT_TRUE(RunPlan(*plan, pool, {.feeds = {}, .fetches = fetches, .step = {.step_id = 7}, .trace = &trace}).ok());
  const int64_t after_ns = StepTrace::NowNs();

  std::map<std::string, TraceRecord> records;
  const Trace taken = trace.Take();
  for (const TraceRecord& record : taken.records) records[taken.node(record).name] = record;
  ASSERT_EQ(records.size(), 3U);  // neither the constant nor the fetch has run
  for (const auto& [node, record] : records) {
    EXPECT_EQ(record.step_id, 7);
    EXPECT_EQ(taken.node(record).op, node);
    EXPECT_EQ(taken.device(record), "/job:worker/task:0/device:cpu:0");
    EXPECT_LE(before_ns, record.start_ns);
    EXPECT_LE(record.start_ns, record.end_ns);
    EXPECT_LE(record.end_ns, after_ns);
    EXPECT_EQ(record.bytes, -1);
  }
  EXPECT_GE(records["Work"].end_ns - records["Work"].start_ns, 200'000);
  EXPECT_GE(records["Later"].start_ns, records["Work"].end_ns);
  EXPECT_GE(records["Negate"].start_ns, records["Later"].end_ns);
  EXPECT_TRUE(trace.Take().records.empty());
}

TEST(StepTraceTest, EachThreadHasItsNumberInEachTrace) {
  StepTrace first;
  StepTrace second;
  const auto add = [](StepTrace& trace, int64_t start_ns) {
    TraceRecord record;
    record.start_ns = start_ns;
    trace.Add(record);
  };
  add(first, 30);
  add(second, 1);
  add(first, 10);
  std::thread([&] { add(first, 20); }).join();
  const std::vector<TraceRecord> records = first.Take().records;
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].start_ns, 10);
  EXPECT_EQ(records[1].start_ns, 20);
  EXPECT_EQ(records[2].start_ns, 30);
  EXPECT_EQ(records[0].thread, records[2].thread);
  EXPECT_NE(records[0].thread, records[1].thread);
  EXPECT_EQ(second.Take().records.size(), 1U);
}

}  // namespace
}  // namespace dfrun::testing
