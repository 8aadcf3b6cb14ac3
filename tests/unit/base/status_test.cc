#include "src/base/status.h"

#include <gtest/gtest.h>

#include <iomanip>
#include <string>
#include <string_view>

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

struct Point {
  int x;
};
std::ostream& operator<<(std::ostream& out, const Point& point) {
  return out << "x=" << point.x;
}

TEST(StrCatTest, PrintsAsAStreamDoes) {
  const char* const pointer = "c";
  char array[] = "d";
  EXPECT_EQ(StrCat(), "");
  EXPECT_EQ(StrCat("a", std::string("b"), pointer, array, std::string_view("ef").substr(1)), "abcdf");
  EXPECT_EQ(StrCat('x', true, uint8_t{'y'}, int8_t{'z'}), "x1yz");
  EXPECT_EQ(StrCat(-1, " ", int64_t{-1} << 40, " ", size_t{7}, " ", uint16_t{8}), "-1 -1099511627776 7 8");
  EXPECT_EQ(StrCat(0.1, " ", 0.25F, " ", 1e300), "0.1 0.25 1e+300");
  EXPECT_EQ(StrCat(Point{3}, ", ", std::setprecision(3), 1.0 / 3, ", ", 2.0 / 3), "x=3, 0.333, 0.667");
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
