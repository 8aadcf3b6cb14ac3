// The output of the ops that print, and how Abort ends the process.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "kernels/strings/tensor_text.h"
#include "tests/unit/testing/node_runner.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

using testing::Make;
using testing::NodeRunner;
using Way = NodeRunner::Way;

// The texts are TensorFlow's for the same tensors.
TEST(TensorText, FirstElements) {
  const Tensor cube = Make<int32_t>(Shape({2, 2, 2}), {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(FirstElements(cube, -1), "[[1 2][3 4]][[5 6][7 8]]");
  EXPECT_EQ(FirstElements(cube, 5), "[[1 2][3 4]][[5...]]...");
  EXPECT_EQ(FirstElements(cube, 2), "[[1 2]]...");
  EXPECT_EQ(FirstElements(cube, 0), "...");
  EXPECT_EQ(FirstElements(Tensor::Vector<float>({1, 2.5, 3e30F, 4}), 3), "1 2.5 3e+30...");
  EXPECT_EQ(FirstElements(Tensor::Scalar<std::string>("a"), 3), "a");
  EXPECT_EQ(FirstElements(Tensor(DType::kFloat, Shape({0})), 3), "");
}

TEST(Print, WritesTheFirstTimesAndPassesItsInputOn) {
  NodeRunner runner;
  const Tensor x = Tensor::Vector<float>({1, 2});
  ::testing::internal::CaptureStderr();
  const auto printed = runner.Run(Way::kStaticShapes, "Print", {{"message", "values: "}}, {x, x, Tensor::Scalar(true)});
  ASSERT_TRUE(printed.ok()) << printed.status().ToString();
  EXPECT_TRUE((*printed)[0].Identical(x));
  ASSERT_TRUE(runner.Run(Way::kStaticShapes, "Print", {{"first_n", 0}}, {x, x}).ok());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "values: [1 2][1]\n");
}

TEST(Print, WritesToAFile) {
  NodeRunner runner;
  const ScratchDirectory scratch;
  const std::string path = scratch.Path("printed");
  for (const char* text : {"one", "two"}) {
    const Status status = runner
                              .Run(Way::kStaticShapes, "PrintV2", {{"output_stream", "file://" + path}, {"end", ";"}},
                                   {Tensor::Scalar<std::string>(text)})
                              .status();
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  std::stringstream content;
  content << std::ifstream(path).rdbuf();
  EXPECT_EQ(content.str(), "one;two;");
}

TEST(Print, LogsAtTheLevelOfItsStream) {
  NodeRunner runner;
  for (const std::string level : {"info", "warning", "error"}) {
    ::testing::internal::CaptureStderr();
    const Status status =
        runner
            .Run(Way::kStaticShapes, "PrintV2", {{"output_stream", "log(" + level + ")"}, {"end", ""}},
                 {Tensor::Scalar<std::string>("said")})
            .status();
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), level + ": said\n");
  }
}

TEST(Assert, NamesTheValues) {
  NodeRunner runner;
  const Status status =
      runner
          .Run(Way::kStaticShapes, "Assert", {{"summarize", 2}},
               {Tensor::Scalar(false), Tensor::Scalar<std::string>("x ="), Make<int32_t>(Shape({3}), {1, 2, 3})})
          .status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_EQ(status.message(), "assertion failed: [x =] [1 2...]");
}

TEST(AbortDeathTest, EndsTheProcess) {
  NodeRunner runner;
  const auto abort = [&](bool quietly) {
    return runner.Run(Way::kStaticShapes, "Abort", {{"error_msg", "enough"}, {"exit_without_error", quietly}}, {}).ok();
  };
  EXPECT_DEATH(abort(false), "enough");
  EXPECT_EXIT(abort(true), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace dfrun
