#include "src/job/open_metrics.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <limits>

#include "src/base/file.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

class OpenMetricsTest : public testing::Test {
 protected:
  OpenMetricsTest() { now_ = OpenMetricsFile::Clock::time_point(std::chrono::hours(1)); }

  static OpenMetricsFile::Clock::time_point Now() { return now_; }
  OpenMetricsFile Make(const std::string& run) const { return {path_, run, &OpenMetricsTest::Now}; }
  // The file's line that begins so; empty where it has none.
  std::string Line(const std::string& begin) const {
    const Result<std::string> text = ReadFile(path_, 1 << 20);
    EXPECT_TRUE(text.ok()) << text.status().ToString();
    const size_t at = text.ok() ? ("\n" + *text).find("\n" + begin) : std::string::npos;
    return at == std::string::npos ? "" : text->substr(at, text->find('\n', at) - at);
  }

  const ScratchDirectory scratch_;
  const std::string path_ = scratch_.Path("run.prom");
  static OpenMetricsFile::Clock::time_point now_;
};

OpenMetricsFile::Clock::time_point OpenMetricsTest::now_;

TEST_F(OpenMetricsTest, TheFileIsReplacedOnceASecondAndAtTheEnd) {
  OpenMetricsFile file = Make("digits");
  file.OnBegin(40, 200);
  EXPECT_EQ(Line("dfrun_step{"), "dfrun_step{run=\"digits\"} 40");
  EXPECT_EQ(Line("dfrun_running"), "dfrun_running{run=\"digits\"} 1");
  const auto step = [&](int64_t number, float loss) {
    const std::pair<std::string, Tensor> values[] = {{"loss", Tensor::Scalar(loss)}};
    EXPECT_TRUE(file.OnStep({.step = number, .steps = 200, .wall_s = 1.5, .values = values}).ok());
  };
  now_ += std::chrono::milliseconds(900);
  step(41, 0.75F);
  EXPECT_EQ(Line("dfrun_step{"), "dfrun_step{run=\"digits\"} 40");
  now_ += std::chrono::milliseconds(100);
  step(42, 0.5F);
  EXPECT_EQ(Line("dfrun_step{"), "dfrun_step{run=\"digits\"} 42");
  EXPECT_EQ(Line("dfrun_loss"), "dfrun_loss{run=\"digits\"} 0.5");
  EXPECT_EQ(Line("dfrun_wall_seconds"), "dfrun_wall_seconds{run=\"digits\"} 1.5");
  step(43, 0.25F);
  file.OnEnd(Status());
  EXPECT_EQ(Line("dfrun_step{"), "dfrun_step{run=\"digits\"} 43");
  EXPECT_EQ(Line("dfrun_running"), "dfrun_running{run=\"digits\"} 0");
  EXPECT_EQ(ListDirectory(scratch_.path())->size(), 1U);  // no temporary file is left
}

TEST_F(OpenMetricsTest, NamesBecomeLegalAndStayApart) {
  OpenMetricsFile file = Make("a \"b\"\n\\");
  const std::pair<std::string, Tensor> values[] = {{"eval/error", Tensor::Scalar(1.0)},
                                                   {"eval_error", Tensor::Scalar(2.0)},
                                                   {"step", Tensor::Scalar(3.0)},
                                                   {"5-a", Tensor::Scalar(std::numeric_limits<double>::infinity())},
                                                   {"list", Tensor::Vector<float>({1, 2})}};
  const DeviceMemory memory[] = {{.device = "/job:worker/task:0/device:cpu:0", .peak_bytes = 70}};
  ASSERT_TRUE(file.OnStep({.step = 7, .steps = 9, .values = values, .memory = memory}).ok());
  const std::string run = "run=\"a \\\"b\\\"\\n\\\\\"";
  EXPECT_EQ(Line("dfrun_eval_error"), "dfrun_eval_error{" + run + ",name=\"eval/error\"} 1");
  EXPECT_NE(file.Text().find("dfrun_eval_error{" + run + ",name=\"eval_error\"} 2\n"), std::string::npos);
  EXPECT_EQ(Line("dfrun_step{"), "dfrun_step{" + run + "} 7");
  EXPECT_EQ(Line("dfrun_step_value{"), "dfrun_step_value{" + run + "} 3");
  EXPECT_EQ(Line("dfrun_5_a"), "dfrun_5_a{" + run + "} +Inf");
  EXPECT_EQ(Line("dfrun_memory_peak_bytes"),
            "dfrun_memory_peak_bytes{" + run + ",device=\"/job:worker/task:0/device:cpu:0\"} 70");
  EXPECT_EQ(file.Text().find("list"), std::string::npos);
  EXPECT_TRUE(file.Text().ends_with("\n# EOF\n"));
}

TEST_F(OpenMetricsTest, AJobGoesOnWhereTheFileCannotBeWritten) {
  OpenMetricsFile file("/absent/run.prom", "digits", &OpenMetricsTest::Now);
  testing::internal::CaptureStderr();
  file.OnBegin(0, 2);
  now_ += std::chrono::seconds(1);
  EXPECT_TRUE(file.OnStep({.step = 1, .steps = 2, .values = {}}).ok());
  file.OnEnd(Status());
  const std::string said = testing::internal::GetCapturedStderr();
  const std::string warning = "--open-metrics: cannot";
  const size_t at = said.find(warning);
  EXPECT_NE(at, std::string::npos) << said;
  EXPECT_EQ(said.find(warning, at + 1), std::string::npos) << said;
}

}  // namespace
}  // namespace dfrun
