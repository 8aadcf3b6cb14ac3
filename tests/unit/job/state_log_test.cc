#include "src/job/state_log.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

namespace fs = std::filesystem;

std::string Bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class StateLogTest : public ::testing::Test {
 protected:
  void Log(const std::vector<std::string>& variables, int64_t keep_through, const std::vector<int64_t>& steps) {
    auto log = StateLog::Open(path_, variables, keep_through);
    ASSERT_TRUE(log.ok()) << log.status().ToString();
    for (const int64_t step : steps) {
      std::vector<uint64_t> values;
      for (size_t i = 0; i < variables.size(); ++i) values.push_back(static_cast<uint64_t>(step) * 100 + i);
      ASSERT_TRUE(log->Append(step, values).ok());
    }
    EXPECT_TRUE(log->OnSave(0).ok());
  }
  std::vector<int64_t> StepsIn(const std::string& path) const {
    const auto contents = ReadStateLog(path);
    EXPECT_TRUE(contents.ok()) << contents.status().ToString();
    std::vector<int64_t> steps;
    for (const StateRecord& record : contents->records) {
      steps.push_back(record.step);
      for (size_t i = 0; i < record.of_variables.size(); ++i)
        EXPECT_EQ(record.of_variables[i], static_cast<uint64_t>(record.step) * 100 + i);
    }
    return steps;
  }

  const ScratchDirectory scratch_;
  const std::string path_ = scratch_.Path("state.bin");
  const std::vector<std::string> names_ = {"a", "h1/W"};
};

using Steps = std::vector<int64_t>;

TEST_F(StateLogTest, HasTheLayoutOfTheFormat) {
  Log({"W"}, 0, {10});
  const std::string bytes = Bytes(path_);
  const std::string header("DFSTATE1\1\0\0\0\1\0\0\0W", 17);
  const std::string record("\12\0\0\0\0\0\0\0\350\3\0\0\0\0\0\0", 16);  // step 10, fingerprint 1000
  ASSERT_EQ(bytes.size(), header.size() + 4 + record.size() + 4);
  EXPECT_EQ(bytes.substr(0, header.size()), header);
  EXPECT_EQ(bytes.substr(header.size() + 4, record.size()), record);
  // Checksums of another program: crc32c of the bytes before them.
  EXPECT_EQ(bytes.substr(header.size(), 4), std::string("\124\052\130\127", 4));
  EXPECT_EQ(bytes.substr(bytes.size() - 4), std::string("\215\221\136\363", 4));
}

TEST_F(StateLogTest, AResumedRunLosesWhatCameAfterItsStep) {
  Log(names_, 0, {10, 20, 30, 40});
  Log(names_, 20, {});
  EXPECT_EQ(StepsIn(path_), (Steps{10, 20}));
  Log(names_, 25, {30});
  EXPECT_EQ(StepsIn(path_), (Steps{10, 20, 30}));
  EXPECT_EQ(ReadStateLog(path_)->variables, names_);
  ASSERT_TRUE(CutStateLog(path_, 10).ok());
  EXPECT_EQ(StepsIn(path_), Steps{10});
  EXPECT_FALSE(fs::exists(scratch_.Path("state-1.bin")));
}

TEST_F(StateLogTest, ALastRecordThatIsNotWholeIsIgnored) {
  Log(names_, 0, {10, 20, 30});
  const std::string bytes = Bytes(path_);
  const size_t record = 8 + 2 * 8 + 4;
  for (size_t cut = 1; cut <= record; ++cut) {
    scratch_.Write("state.bin", bytes.substr(0, bytes.size() - cut));
    EXPECT_EQ(StepsIn(path_), (Steps{10, 20})) << cut;
    Log(names_, 30, {40});
    EXPECT_EQ(StepsIn(path_), (Steps{10, 20, 40})) << cut;
  }
  for (size_t at = bytes.size() - record; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] ^= 16;
    scratch_.Write("state.bin", damaged);
    EXPECT_EQ(StepsIn(path_), (Steps{10, 20})) << at;
  }
}

TEST_F(StateLogTest, OtherDamageIsAnError) {
  Log(names_, 0, {10, 20, 30});
  const std::string bytes = Bytes(path_);
  const size_t record = 8 + 2 * 8 + 4;
  for (size_t at = 0; at < bytes.size() - record; ++at) {
    std::string damaged = bytes;
    damaged[at] ^= 16;
    scratch_.Write("state.bin", damaged);
    EXPECT_EQ(ReadStateLog(path_).status().code(), Code::kDataLoss) << at;
  }
  for (size_t end = 0; end < bytes.size() - 3 * record; ++end) {
    scratch_.Write("state.bin", bytes.substr(0, end));
    EXPECT_EQ(ReadStateLog(path_).status().code(), Code::kDataLoss) << end;
  }
  EXPECT_EQ(ReadStateLog(scratch_.Path("nothing")).status().code(), Code::kNotFound);
}

TEST_F(StateLogTest, OtherVariablesBeginAnewAndTheOldOnesAreKept) {
  Log(names_, 0, {10});
  Log({"a", "b"}, 10, {20});
  EXPECT_EQ(StepsIn(path_), Steps{20});
  EXPECT_EQ(StepsIn(scratch_.Path("state-1.bin")), Steps{10});
  Log(names_, 20, {30});
  EXPECT_EQ(StepsIn(scratch_.Path("state-2.bin")), Steps{20});
  // Nothing is lost with a file that holds no record.
  Log(names_, 0, {});
  Log({"c"}, 0, {1});
  EXPECT_EQ(StepsIn(path_), Steps{1});
  EXPECT_FALSE(fs::exists(scratch_.Path("state-3.bin")));
  scratch_.Write("state.bin", "a user's notes");
  ASSERT_TRUE(CutStateLog(path_, 0).ok());
  Log(names_, 0, {1});
  EXPECT_EQ(Bytes(scratch_.Path("state-3.bin")), "a user's notes");
  ASSERT_TRUE(CutStateLog(scratch_.Path("nothing"), 0).ok());
}

}  // namespace
}  // namespace dfrun
