#include "comm/ucx/calibration_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "comm/transport.h"
#include "src/base/file.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun::comm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

CachedThreshold Sample(const std::string& lanes, size_t from) {
  return {{"1.13.1", "ranks of one host", lanes, "A CPU", "a CPU each", "no UCX_ settings"}, from};
}

// The crc32c of the second line was taken bit by bit, by the polynomial 0x82f63b78.
constexpr char kText[] =
    "dfrun UCX reading 1 b2283b51\n"
    "1.13.1\tranks of one host\tsysv/memory, cma/memory\tA CPU\ta CPU each\tno UCX_ settings\t65536\n";

std::string Content(const std::string& path) {
  const Result<std::string> content = ReadFile(path, 1 << 20);
  return content.ok() ? *content : content.status().ToString();
}

TEST(CalibrationCacheTest, IsTextOfALineAReading) {
  EXPECT_EQ(PrintThresholds({Sample("sysv/memory, cma/memory", 65536)}), kText);
  const Result<std::vector<CachedThreshold>> readings = ParseThresholds(kText);
  ASSERT_TRUE(readings.ok()) << readings.status().ToString();
  EXPECT_THAT(*readings, ElementsAre(Sample("sysv/memory, cma/memory", 65536)));
}

TEST(CalibrationCacheTest, NeverAndNoReadingsComeBack) {
  const std::vector<CachedThreshold> never = {Sample("rc_mlx5/mlx5_0:1", Capabilities::kNever)};
  EXPECT_THAT(PrintThresholds(never), HasSubstr("\tnever\n"));
  EXPECT_EQ(*ParseThresholds(PrintThresholds(never)), never);
  EXPECT_THAT(*ParseThresholds(PrintThresholds({})), IsEmpty());
}

TEST(CalibrationCacheTest, NamesCannotForgeAField) {
  CachedThreshold forged = Sample("a\tb\nc", 1);
  const Result<std::vector<CachedThreshold>> readings = ParseThresholds(PrintThresholds({forged}));
  ASSERT_TRUE(readings.ok());
  EXPECT_THAT(*readings, ElementsAre(Sample("a b c", 1)));
}

TEST(CalibrationCacheTest, EveryDamagedByteIsSeen) {
  for (size_t at = 0; at + 1 < sizeof kText; ++at) {
    std::string damaged = kText;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    EXPECT_FALSE(ParseThresholds(damaged).ok()) << at;
    EXPECT_FALSE(ParseThresholds(std::string(kText, at)).ok()) << at;
  }
  EXPECT_FALSE(ParseThresholds(std::string(kText) + "x").ok());
}

TEST(CalibrationCacheTest, DamageIsToldFromOthersFiles) {
  EXPECT_EQ(ParseThresholds("[settings]\n").status().code(), Code::kFailedPrecondition);
  EXPECT_EQ(ParseThresholds("").status().code(), Code::kDataLoss);
  EXPECT_EQ(ParseThresholds("dfrun UCX reading 2 00000000\n").status().code(), Code::kFailedPrecondition);
  EXPECT_EQ(ParseThresholds("dfrun UCX reading 1").status().code(), Code::kDataLoss);
  EXPECT_EQ(ParseThresholds("dfrun UCX reading 1 00000001\n").status().code(), Code::kDataLoss);
}

TEST(CalibrationCacheTest, KeepsAReadingForEachKey) {
  const ScratchDirectory scratch;
  const CalibrationCache file(scratch.Path("cache/dfrun/ucx-reading"));
  EXPECT_THAT(*file.Read(), IsEmpty());
  ASSERT_TRUE(file.Keep({Sample("a", 1), Sample("b", 2)}).ok());
  ASSERT_TRUE(file.Keep({Sample("a", 3)}).ok());
  EXPECT_THAT(*file.Read(), ElementsAre(Sample("b", 2), Sample("a", 3)));
}

TEST(CalibrationCacheTest, TheOldestGoFirst) {
  const ScratchDirectory scratch;
  const CalibrationCache file(scratch.Path("ucx-reading"));
  for (size_t i = 0; i < 201; ++i) ASSERT_TRUE(file.Keep({Sample(StrCat("lane", i), i)}).ok());
  const std::vector<CachedThreshold> readings = *file.Read();
  ASSERT_EQ(readings.size(), 200U);
  EXPECT_EQ(readings.front(), Sample("lane1", 1));
  EXPECT_EQ(readings.back(), Sample("lane200", 200));
}

TEST(CalibrationCacheTest, ReplacesADamagedFile) {
  const ScratchDirectory scratch;
  const CalibrationCache file(scratch.Write("ucx-reading", std::string(kText) + "more"));
  EXPECT_EQ(file.Read().status().code(), Code::kDataLoss);
  EXPECT_THAT(file.Read().status().message(), HasSubstr(file.path()));
  ASSERT_TRUE(file.Keep({Sample("a", 1)}).ok());
  EXPECT_THAT(*file.Read(), ElementsAre(Sample("a", 1)));
}

TEST(CalibrationCacheTest, ReplacesAFileThatWasNotWrittenOut) {
  const ScratchDirectory scratch;
  for (const std::string& text :
       {std::string(), std::string(1, '\0'), std::string(4096, '\0'), std::string(kText, 5)}) {
    const CalibrationCache file(scratch.Write("ucx-reading", text));
    EXPECT_EQ(file.Read().ok(), text.empty()) << text;
    ASSERT_TRUE(file.Keep({Sample("a", 1)}).ok()) << text;
    EXPECT_THAT(*file.Read(), ElementsAre(Sample("a", 1)));
  }
}

TEST(CalibrationCacheTest, LeavesAloneWhatItHasNotWritten) {
  const ScratchDirectory scratch;
  for (const std::string text : {"a letter\n", "dfrun UCX reading 2 00000000\nof a later version\n"}) {
    const CalibrationCache file(scratch.Write("ucx-reading", text));
    EXPECT_EQ(file.Keep({Sample("a", 1)}).code(), Code::kFailedPrecondition) << text;
    EXPECT_EQ(Content(file.path()), text);
  }
  const CalibrationCache long_one(scratch.Write("long", std::string((256 << 10) + 1, 'x')));
  EXPECT_FALSE(long_one.Keep({Sample("a", 1)}).ok());
  EXPECT_EQ(Content(long_one.path()).size(), (256U << 10) + 1);
  const CalibrationCache directory(scratch.path());
  EXPECT_FALSE(directory.Keep({Sample("a", 1)}).ok());
}

TEST(CalibrationCacheTest, AFileInTheFoldersPlaceIsAnError) {
  const ScratchDirectory scratch;
  const CalibrationCache file(scratch.Write("dfrun", "a file") + "/ucx-reading");
  EXPECT_FALSE(file.Read().ok());
  EXPECT_FALSE(file.Keep({Sample("a", 1)}).ok());
}

}  // namespace
}  // namespace dfrun::comm
