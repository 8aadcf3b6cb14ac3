#include "src/session/trace/chrome_trace.h"

#include <gtest/gtest.h>

#include "src/session/trace/trace_lanes.h"
#include "tests/unit/session/trace/trace_maker.h"

namespace dfrun::testing {
namespace {

TEST(ChromeTraceTest, WritesASliceANode) {
  TraceMaker maker;
  maker.Ran(maker.Node("a/\"b\"", "Add"), 0, 1234567, 1235001);
  EXPECT_EQ(ChromeTraceJson(maker.trace(), 3),
            "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
            "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":3,\"args\":{\"name\":\"rank 3\"}},\n"
            "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":3,\"tid\":0,\"args\":{\"name\":\"thread 0\"}},\n"
            "{\"name\":\"a/\\\"b\\\"\",\"cat\":\"Add\",\"ph\":\"X\",\"pid\":3,\"tid\":0,\"ts\":1234.567,\"dur\":0.434,"
            "\"args\":{\"op\":\"Add\",\"device\":\"/job:worker/task:0/device:cpu:0\",\"step\":7}}\n]}\n");
  EXPECT_EQ(TracePath("run/trace/", 3), "run/trace/rank-3.json");
}

// A Send and the Recv of the same tensor, in two files, have one arrow: equal category, name and id.
TEST(ChromeTraceTest, DrawsArrowsFromSendsToRecvs) {
  TraceMaker sender;
  sender.Ran(sender.Send("x/_Send_5", 5), 0, 1000, 2000).bytes = 64;
  EXPECT_NE(ChromeTraceJson(sender.trace(), 0)
                .find("\"step\":7,\"bytes\":64}},\n"
                      "{\"name\":\"tensor\",\"cat\":\"edge\",\"ph\":\"s\",\"id\":\"x/_5 7 "
                      "0\",\"pid\":0,\"tid\":0,\"ts\":1.000}"),
            std::string::npos);
  TraceMaker receiver;
  receiver.Waited(receiver.Recv("x/_Recv_5", 5), 0, 500, 3000);
  EXPECT_NE(ChromeTraceJson(receiver.trace(), 1)
                .find("{\"name\":\"tensor\",\"cat\":\"edge\",\"ph\":\"f\",\"bp\":\"e\",\"id\":\"x/_5 7 0\",\"pid\":1,"
                      "\"tid\":0,\"ts\":2.999}"),
            std::string::npos);
}

// Messages have a row of their own, the name of their tensor and the step of its node.
TEST(ChromeTraceTest, WritesASliceAMessage) {
  TraceMaker maker;
  maker.Waited(maker.Send("x/_Send_5", 5), 0, 1000, 4000);
  maker.Message(TraceRecord::Kind::kSend, 5, 2000, 3000);
  maker.Message(TraceRecord::Kind::kRecv, 9, 2500, 3500);
  const std::string json = ChromeTraceJson(maker.trace(), 0);
  EXPECT_NE(json.find("{\"name\":\"send x/_5\",\"cat\":\"send\",\"ph\":\"X\",\"pid\":0,\"tid\":1,\"ts\":2.000,"
                      "\"dur\":1.000,\"args\":{\"step\":7,\"peer\":1,\"channel\":5,\"slot\":0,\"bytes\":32}}"),
            std::string::npos)
      << json;
  EXPECT_NE(json.find("{\"name\":\"receive channel 9\",\"cat\":\"receive\",\"ph\":\"X\",\"pid\":0,\"tid\":2,"
                      "\"ts\":2.500,\"dur\":1.000,\"args\":{\"peer\":1,\"channel\":9,\"slot\":0,\"bytes\":32}}"),
            std::string::npos)
      << json;
  EXPECT_NE(json.find("\"tid\":1,\"args\":{\"name\":\"comm 0\"}"), std::string::npos) << json;
  EXPECT_NE(json.find("\"tid\":2,\"args\":{\"name\":\"comm 1\"}"), std::string::npos) << json;
}

TEST(TraceLanesTest, AsynchronousNodesHaveLanesOfTheirOwn) {
  TraceMaker maker;
  const uint32_t node = maker.Node("a", "Add");
  maker.Waited(node, 0, 10, 50);
  maker.Ran(node, 0, 20, 30);
  maker.Waited(node, 1, 25, 40);
  maker.Ran(node, 1, 35, 60);
  maker.Waited(node, 0, 50, 55);
  maker.Waited(node, 0, 51, 52);
  const TraceLanes lanes = LayOutLanes(maker.trace().records);
  EXPECT_EQ(lanes.names, (std::vector<std::string>{"thread 0", "thread 1", "waiting 0", "waiting 1"}));
  EXPECT_EQ(lanes.of_record, (std::vector<int>{2, 0, 3, 1, 2, 3}));
}

TEST(TraceLanesTest, MessagesHaveLanesBehindTheNodes) {
  TraceMaker maker;
  const uint32_t node = maker.Node("a", "Add");
  maker.Message(TraceRecord::Kind::kSend, 1, 10, 30);
  maker.Ran(node, 0, 12, 30);
  maker.Message(TraceRecord::Kind::kRecv, 2, 20, 25);
  maker.Waited(node, 0, 22, 23);
  maker.Message(TraceRecord::Kind::kSend, 3, 30, 40);
  const TraceLanes lanes = LayOutLanes(maker.trace().records);
  EXPECT_EQ(lanes.names, (std::vector<std::string>{"thread 0", "waiting 0", "comm 0", "comm 1"}));
  EXPECT_EQ(lanes.of_record, (std::vector<int>{2, 0, 3, 1, 2}));
}

}  // namespace
}  // namespace dfrun::testing
