#include "src/job/metrics_log.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>

#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

std::string Content(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(MetricsTest, FloatsReadBackBitEqual) {
  for (float value : {0.1F, 1.0F / 3, 1e-38F, 3.4028235e38F, std::nextafter(1.0F, 2.0F)}) {
    const auto text = ScalarToJson(Tensor::Scalar(value));
    ASSERT_TRUE(text.ok());
    EXPECT_EQ(std::strtof(text->c_str(), nullptr), value) << *text;
  }
  EXPECT_EQ(std::strtod(ScalarToJson(Tensor::Scalar(0.1)).value().c_str(), nullptr), 0.1);
}

TEST(MetricsTest, WhatIsNoNumberIsAString) {
  EXPECT_EQ(*ScalarToJson(Tensor::Scalar(std::numeric_limits<float>::quiet_NaN())), "\"NaN\"");
  EXPECT_EQ(*ScalarToJson(Tensor::Scalar(-std::numeric_limits<double>::infinity())), "\"-Infinity\"");
  EXPECT_FALSE(ScalarToJson(Tensor::Vector<float>({1, 2})).ok());
}

TEST(MetricsTest, AResumedRunLosesWhatCameAfterItsStep) {
  const ScratchDirectory scratch;
  const std::string path = scratch.Path("metrics.jsonl");
  {
    auto log = MetricsLog::Open(path, -1);
    ASSERT_TRUE(log.ok());
    for (int64_t step : {10, 20, 30}) {
      const std::pair<std::string, Tensor> loss[] = {{"loss", Tensor::Scalar<float>(static_cast<float>(step))}};
      ASSERT_TRUE(log->Append({.step = step, .wall_s = 0.5, .values = loss}).ok());
    }
  }
  std::ofstream(path, std::ios::app) << "{\"step\": 40, \"wa";  // a line that a crash cut short
  ASSERT_TRUE(MetricsLog::Open(path, 20).ok());
  EXPECT_EQ(Content(path),
            "{\"step\": 10, \"wall_s\": 0.5, \"loss\": 10}\n{\"step\": 20, \"wall_s\": 0.5, \"loss\": 20}\n");
}

TEST(MetricsTest, TimesAndMemoryComeBeforeWhatIsTheSameInEveryRun) {
  const ScratchDirectory scratch;
  const std::string path = scratch.Path("metrics.jsonl");
  auto log = MetricsLog::Open(path, -1);
  ASSERT_TRUE(log.ok());
  const std::pair<std::string, Tensor> loss[] = {{"loss", Tensor::Scalar<float>(2)}};
  const DeviceMemory memory[] = {{.device = "/job:worker/task:0/device:cpu:0", .in_use_bytes = 5, .peak_bytes = 70}};
  const std::pair<std::string, Tensor> schedule[] = {{"epoch", Tensor::Scalar(0.25)}};
  const std::pair<std::string, Tensor> timings[] = {{"samples_per_s", Tensor::Scalar(12.5)}};
  const JobResults results = {
      .step = 3, .steps = 4, .wall_s = 0.5, .values = loss, .schedule = schedule, .timings = timings, .memory = memory};
  ASSERT_TRUE(log->OnStep(results).ok());
  EXPECT_EQ(Content(path),
            "{\"step\": 3, \"wall_s\": 0.5, \"samples_per_s\": 12.5, "
            "\"memory/job:worker/task:0/device:cpu:0\": 70, \"epoch\": 0.25, \"loss\": 2}\n");
}

TEST(MetricsTest, TheStateOfTheVariablesComesLast) {
  const ScratchDirectory scratch;
  const std::string path = scratch.Path("metrics.jsonl");
  auto log = MetricsLog::Open(path, -1);
  ASSERT_TRUE(log.ok());
  const std::pair<std::string, Tensor> loss[] = {{"loss", Tensor::Scalar<float>(2)}};
  ASSERT_TRUE(log->OnStep({.step = 3, .wall_s = 0.5, .values = loss, .state = 0x00ff00ff00ff00feU}).ok());
  EXPECT_EQ(Content(path), "{\"step\": 3, \"wall_s\": 0.5, \"loss\": 2, \"state\": \"00ff00ff00ff00fe\"}\n");
}

TEST(MetricsTest, AFileThatIsRemovedIsAnError) {
  const ScratchDirectory scratch;
  const std::string path = scratch.Path("metrics.jsonl");
  auto log = MetricsLog::Open(path, -1);
  ASSERT_TRUE(log.ok());
  ASSERT_TRUE(log->Append({.step = 1, .wall_s = 0.5, .values = {}}).ok());
  ASSERT_EQ(std::remove(path.c_str()), 0);
  const Status status = log->Append({.step = 2, .wall_s = 0.5, .values = {}});
  EXPECT_EQ(status.code(), Code::kIo);
  EXPECT_NE(status.message().find("metrics.jsonl: it was removed"), std::string::npos) << status.message();
}

}  // namespace
}  // namespace dfrun
