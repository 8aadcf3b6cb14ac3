#include "src/trace/chrome_trace.h"

#include <gtest/gtest.h>

namespace dfrun {
namespace {

TEST(ChromeTraceTest, WritesAnEventANode) {
  TraceRecord add;
  add.step_id = 7;
  add.node = "a/\"b\"";
  add.op = "Add";
  add.device = "/job:worker/task:0/device:cpu:0";
  add.thread = 2;
  add.start_ns = 1234567;
  add.end_ns = 1235001;
  TraceRecord send = add;
  send.node = "line\n";
  send.op = "_Send";
  send.bytes = 64;
  const TraceRecord records[] = {add, send};
  EXPECT_EQ(
      ChromeTraceJson(records, 3),
      "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
      "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":3,\"args\":{\"name\":\"rank 3\"}},\n"
      "{\"name\":\"a/\\\"b\\\"\",\"cat\":\"Add\",\"ph\":\"X\",\"pid\":3,\"tid\":2,\"ts\":1234.567,\"dur\":0.434,"
      "\"args\":{\"op\":\"Add\",\"device\":\"/job:worker/task:0/device:cpu:0\",\"step\":7}},\n"
      "{\"name\":\"line\\u000a\",\"cat\":\"_Send\",\"ph\":\"X\",\"pid\":3,\"tid\":2,\"ts\":1234.567,\"dur\":0.434,"
      "\"args\":{\"op\":\"_Send\",\"device\":\"/job:worker/task:0/device:cpu:0\",\"step\":7,\"bytes\":64}}\n]}\n");
  EXPECT_EQ(TracePath("run/trace/", 3), "run/trace/rank-3.json");
}

}  // namespace
}  // namespace dfrun
