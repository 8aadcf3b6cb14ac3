#include "src/trace/chrome_trace.h"

#include <gtest/gtest.h>

namespace dfrun {
namespace {

// What a JSON reader must find of one event, whatever the order of keys and the spaces between them.
void ExpectHas(const std::string& json, const std::string& text) {
  std::string packed;
  for (const char c : json) {
    if (c != ' ' && c != '\n') packed += c;
  }
  EXPECT_NE(packed.find(text), std::string::npos) << text << " is not in " << json;
}

TEST(ChromeTraceTest, ARecordIsACompleteEvent) {
  const TraceRecord record{.step_id = 3,
                           .node = "layer/\"x\"",
                           .op = "_Send",
                           .device = "/job:worker/task:2/device:cpu:0",
                           .thread = 1,
                           .start_ns = 5'000'000,
                           .end_ns = 5'250'000,
                           .bytes = 4096};
  const std::string json = ChromeTraceJson({&record, 1}, 2);
  ExpectHas(json, "\"ph\":\"X\"");
  ExpectHas(json, "\"name\":\"layer/\\\"x\\\"\"");
  ExpectHas(json, "\"pid\":2");
  ExpectHas(json, "\"tid\":1");
  ExpectHas(json, "\"ts\":5000");
  ExpectHas(json, "\"dur\":250");
  ExpectHas(json, "\"bytes\":4096");
}

TEST(ChromeTraceTest, OnlyMessagesHaveBytes) {
  const TraceRecord record{
      .step_id = 0, .node = "a", .op = "Add", .device = "", .thread = 0, .start_ns = 1, .end_ns = 2, .bytes = -1};
  EXPECT_EQ(ChromeTraceJson({&record, 1}, 0).find("bytes"), std::string::npos);
}

}  // namespace
}  // namespace dfrun
