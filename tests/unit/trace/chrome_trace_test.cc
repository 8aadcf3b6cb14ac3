#include "src/trace/chrome_trace.h"

#include <gtest/gtest.h>

#include "src/trace/trace_lanes.h"

namespace dfrun {
namespace {

TraceRecord Ran(const std::string& node, const std::string& op, int thread, int64_t start_ns, int64_t end_ns) {
  TraceRecord record;
  record.step_id = 7;
  record.node = node;
  record.op = op;
  record.device = "/job:worker/task:0/device:cpu:0";
  record.thread = thread;
  record.start_ns = start_ns;
  record.end_ns = end_ns;
  return record;
}

TraceRecord Waited(const std::string& node, int thread, int64_t start_ns, int64_t end_ns) {
  TraceRecord record = Ran(node, "_Recv", thread, start_ns, end_ns);
  record.is_async = true;
  return record;
}

TEST(ChromeTraceTest, WritesASliceANode) {
  const TraceRecord records[] = {Ran("a/\"b\"", "Add", 0, 1234567, 1235001)};
  EXPECT_EQ(ChromeTraceJson(records, 3),
            "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
            "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":3,\"args\":{\"name\":\"rank 3\"}},\n"
            "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":3,\"tid\":0,\"args\":{\"name\":\"thread 0\"}},\n"
            "{\"name\":\"a/\\\"b\\\"\",\"cat\":\"Add\",\"ph\":\"X\",\"pid\":3,\"tid\":0,\"ts\":1234.567,\"dur\":0.434,"
            "\"args\":{\"op\":\"Add\",\"device\":\"/job:worker/task:0/device:cpu:0\",\"step\":7}}\n]}\n");
  EXPECT_EQ(TracePath("run/trace/", 3), "run/trace/rank-3.json");
}

// A Send and the Recv of the same tensor, in two files, have one arrow: equal category, name and id.
TEST(ChromeTraceTest, DrawsArrowsFromSendsToRecvs) {
  TraceRecord send = Ran("x/_Send_5", "_Send", 0, 1000, 2000);
  send.bytes = 64;
  const TraceRecord sent[] = {send};
  EXPECT_NE(
      ChromeTraceJson(sent, 0).find(
          "\"step\":7,\"bytes\":64}},\n"
          "{\"name\":\"tensor\",\"cat\":\"edge\",\"ph\":\"s\",\"id\":\"x/_5 7 0\",\"pid\":0,\"tid\":0,\"ts\":1.000}"),
      std::string::npos);
  const TraceRecord received[] = {Waited("x/_Recv_5", 0, 500, 3000)};
  EXPECT_NE(ChromeTraceJson(received, 1)
                .find("{\"name\":\"tensor\",\"cat\":\"edge\",\"ph\":\"f\",\"bp\":\"e\",\"id\":\"x/_5 7 0\",\"pid\":1,"
                      "\"tid\":0,\"ts\":2.999}"),
            std::string::npos);
}

TEST(TraceLanesTest, AsynchronousNodesHaveLanesOfTheirOwn) {
  const TraceRecord records[] = {Waited("a", 0, 10, 50),     Ran("b", "Add", 0, 20, 30), Waited("c", 1, 25, 40),
                                 Ran("d", "Add", 1, 35, 60), Waited("e", 0, 50, 55),     Waited("f", 0, 51, 52)};
  const TraceLanes lanes = LayOutLanes(records);
  EXPECT_EQ(lanes.names, (std::vector<std::string>{"thread 0", "thread 1", "waiting 0", "waiting 1"}));
  EXPECT_EQ(lanes.of_record, (std::vector<int>{2, 0, 3, 1, 2, 3}));
}

}  // namespace
}  // namespace dfrun
