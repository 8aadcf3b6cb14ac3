#include "src/job/json_progress.h"

#include <gtest/gtest.h>

#include <string>

namespace dfrun {
namespace {

class JsonProgressTest : public testing::Test {
 protected:
  JsonProgressTest() { now_ = JsonProgress::Clock::time_point(std::chrono::hours(1)); }
  ~JsonProgressTest() override { std::fclose(file_); }

  static JsonProgress::Clock::time_point Now() { return now_; }
  // Returns what has been written, without the time and the host of each line.
  std::string Lines() const {
    std::rewind(file_);
    std::string text;
    char line[4096];
    while (std::fgets(line, sizeof line, file_) != nullptr) {
      std::string rest = line;
      EXPECT_EQ(rest.find("{\"time\": \"20"), 0U) << rest;
      const size_t host = rest.find("\"host\": \"");
      const size_t level = rest.find("\"level\"");
      EXPECT_TRUE(host != std::string::npos && level < host) << rest;
      rest.erase(host, rest.find(", ", host) + 2 - host);
      text += rest.substr(level);
    }
    return text;
  }

  std::FILE* const file_ = std::tmpfile();
  static JsonProgress::Clock::time_point now_;
};

JsonProgress::Clock::time_point JsonProgressTest::now_;

TEST_F(JsonProgressTest, MessagesHaveALevel) {
  JsonProgress progress(file_, &JsonProgressTest::Now);
  progress.OnMessage("resuming at \"step\" 4");
  progress.OnMessage("warning: rank 3\nis idle");
  EXPECT_EQ(Lines(),
            "\"level\": \"info\", \"message\": \"resuming at \\\"step\\\" 4\"}\n"
            "\"level\": \"warning\", \"message\": \"rank 3\\u000ais idle\"}\n");
}

TEST_F(JsonProgressTest, StepsAndEvaluationsAreObjects) {
  JsonProgress progress(file_, &JsonProgressTest::Now);
  const std::pair<std::string, Tensor> loss[] = {{"loss", Tensor::Scalar(0.5F)}};
  const auto step = [&](int64_t number) {
    EXPECT_TRUE(progress.OnStep({.step = number, .steps = 9, .wall_s = 1, .values = loss}).ok());
  };
  step(1);
  step(2);  // too soon
  now_ += std::chrono::seconds(2);
  step(3);
  EXPECT_TRUE(progress.OnEvaluation({.step = 3, .steps = 9, .wall_s = 1, .values = loss}).ok());
  step(9);  // the last
  const std::string metrics = "\"steps\": 9, \"metrics\": {\"wall_s\": 1, \"loss\": 0.5}}\n";
  std::string expected;
  for (const char* number : {"1", "3", "3", "9"}) {
    expected += std::string("\"level\": \"info\", \"step\": ") + number + ", " + metrics;
  }
  EXPECT_EQ(Lines(), expected);
}

}  // namespace
}  // namespace dfrun
