#include "src/base/status.h"

#include <gtest/gtest.h>

namespace dfrun {
namespace {

Result<int> Half(int n) {
  if (n % 2 != 0) return InvalidArgument(n, " is odd");
  return n / 2;
}

Result<int> Quarter(int n) {
  DF_ASSIGN(const int half, Half(n));
  return Half(half);
}

TEST(StatusTest, ErrorsPassThroughAssign) {
  EXPECT_EQ(*Quarter(8), 2);
  EXPECT_EQ(Quarter(6).status().ToString(), "InvalidArgument: 3 is odd");
}

TEST(StatusTest, AnnotateKeepsTheCode) {
  const Status s = NotFound("no file").Annotate("opening x");
  EXPECT_EQ(s.code(), Code::kNotFound);
  EXPECT_EQ(s.message(), "opening x: no file");
  EXPECT_TRUE(Status().Annotate("anything").ok());
}

TEST(StatusTest, ExitCodesAreSysexits) {
  EXPECT_EQ(ExitCode(Code::kOk), 0);
  EXPECT_EQ(ExitCode(Code::kUsage), 64);
  EXPECT_EQ(ExitCode(Code::kBadSpec), 65);
  EXPECT_EQ(ExitCode(Code::kInternal), 70);
  EXPECT_EQ(ExitCode(Code::kIo), 74);
  EXPECT_EQ(ExitCode(Code::kUnavailable), 76);
}

}  // namespace
}  // namespace dfrun
