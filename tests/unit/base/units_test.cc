#include "src/base/units.h"

#include <gtest/gtest.h>

#include <string>

namespace dfrun {
namespace {

std::string BytesError(const std::string& text) {
  const Result<int64_t> bytes = ParseBytes(text);
  return bytes.ok() ? "no error" : bytes.status().message();
}

std::string SecondsError(const std::string& text) {
  const Result<double> seconds = ParseSeconds(text);
  return seconds.ok() ? "no error" : seconds.status().message();
}

TEST(Units, Bytes) {
  EXPECT_EQ(*ParseBytes("0"), 0);
  EXPECT_EQ(*ParseBytes("4096"), 4096);
  EXPECT_EQ(*ParseBytes("1e3"), 1000);
  EXPECT_EQ(*ParseBytes("64KiB"), 65536);
  EXPECT_EQ(*ParseBytes("5 MiB"), 5 * 1048576);
  EXPECT_EQ(*ParseBytes("1.5GiB"), 1610612736);
  EXPECT_EQ(*ParseBytes("9223372036854775807"), INT64_MAX);
}

TEST(Units, Seconds) {
  EXPECT_EQ(*ParseSeconds("90"), 90);
  EXPECT_EQ(*ParseSeconds("0.25"), 0.25);
  EXPECT_EQ(*ParseSeconds("30s"), 30);
  EXPECT_EQ(*ParseSeconds("5 m"), 300);
  EXPECT_EQ(*ParseSeconds("1.5h"), 5400);
  EXPECT_EQ(*ParseSeconds("2d"), 172800);
}

constexpr char kBytes[] = "must be a number of bytes, or one with KiB, MiB or GiB, not ";
constexpr char kSeconds[] = "must be a number of seconds, or one with s, m, h or d, not ";

TEST(Units, AmbiguousSizesGetAnAnswer) {
  EXPECT_EQ(BytesError("5M"),
            std::string(kBytes) + "'5M': M may stand for a power of 1,000 or of 1,024; write 5MiB, or 5000000");
  EXPECT_EQ(BytesError("5 mb"),
            std::string(kBytes) + "'5 mb': mb may stand for a power of 1,000 or of 1,024; write 5MiB, or 5000000");
  EXPECT_EQ(BytesError("2GB"),
            std::string(kBytes) + "'2GB': GB may stand for a power of 1,000 or of 1,024; write 2GiB, or 2000000000");
  EXPECT_EQ(BytesError("64kib"), std::string(kBytes) + "'64kib', did you mean '64KiB'?");
  EXPECT_EQ(BytesError("4Mi"), std::string(kBytes) + "'4Mi', did you mean '4MiB'?");
  EXPECT_EQ(BytesError("512B"), std::string(kBytes) + "'512B': write 512");
  EXPECT_EQ(BytesError("5s"), std::string(kBytes) + "'5s'");
  EXPECT_EQ(BytesError(""), std::string(kBytes) + "''");
  EXPECT_EQ(BytesError("MiB"), std::string(kBytes) + "'MiB'");
  EXPECT_EQ(BytesError("5  MiB"), std::string(kBytes) + "'5  MiB'");
}

TEST(Units, AmbiguousTimesGetAnAnswer) {
  EXPECT_EQ(SecondsError("1h30m"), std::string(kSeconds) + "'1h30m': it has one unit, write 90m");
  EXPECT_EQ(SecondsError("1m 30s"), std::string(kSeconds) + "'1m 30s': it has one unit, write 90s");
  EXPECT_EQ(SecondsError("5min"), std::string(kSeconds) + "'5min', did you mean '5m'?");
  EXPECT_EQ(SecondsError("2H"), std::string(kSeconds) + "'2H', did you mean '2h'?");
  EXPECT_EQ(SecondsError("3 days"), std::string(kSeconds) + "'3 days', did you mean '3d'?");
  EXPECT_EQ(SecondsError("250ms"), std::string(kSeconds) + "'250ms': write 0.25s");
  EXPECT_EQ(SecondsError("1:30"), std::string(kSeconds) + "'1:30'");
  EXPECT_EQ(SecondsError("5MiB"), std::string(kSeconds) + "'5MiB'");
  EXPECT_EQ(SecondsError("nan"), std::string(kSeconds) + "'nan'");
  EXPECT_EQ(SecondsError("inf"), std::string(kSeconds) + "'inf'");
}

TEST(Units, Bounds) {
  EXPECT_EQ(BytesError("-1"),
            "must be a number of bytes, or one with KiB, MiB "
            "or GiB, and not below 0, but is '-1'");
  EXPECT_EQ(SecondsError("-5m"),
            "must be a number of seconds, or one with s, "
            "m, h or d, and not below 0, but is '-5m'");
  EXPECT_EQ(BytesError("0.3KiB"), "is '0.3KiB', which is no whole number of bytes");
  EXPECT_EQ(BytesError("9999999999GiB"), "is '9999999999GiB', more bytes than can be counted");
  EXPECT_EQ(SecondsError("1e308d"), "is '1e308d', beyond all numbers");
}

TEST(Units, BytesText) {
  EXPECT_EQ(BytesText(0), "0 bytes");
  EXPECT_EQ(BytesText(1), "1 byte");
  EXPECT_EQ(BytesText(1023), "1023 bytes");
  EXPECT_EQ(BytesText(1024), "1.00 KiB");
  EXPECT_EQ(BytesText(76880), "75.1 KiB");
  EXPECT_EQ(BytesText(int64_t{200} << 20), "200 MiB");
  EXPECT_EQ(BytesText(int64_t{3} << 30), "3.00 GiB");
}

}  // namespace
}  // namespace dfrun
