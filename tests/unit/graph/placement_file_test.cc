#include "src/graph/placement_file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "src/base/file.h"

namespace dfrun {
namespace {

class PlacementFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string folder = testing::TempDir() + "placement_XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    path_ = folder + "/placement.json";
  }
  Status StatusOf(const std::string& text) const {
    DF_TRY(WriteFileAtomically(path_, text));
    return ReadPlacement(path_).status();
  }
  std::string path_;
};

TEST_F(PlacementFileTest, IsReadAsItWasWritten) {
  NodePlacement placement;
  placement.devices = {{"W", "/job:worker/task:0/device:cpu:0"}, {"a \"b\"/c", "/job:ps/task:1/device:cpu:0"}};
  const std::string text = PrintPlacement(placement, {PlacedBy::kSimulation, 2, 0.00037, 0.00071});
  ASSERT_TRUE(WriteFileAtomically(path_, text).ok());
  const Result<NodePlacement> read = ReadPlacement(path_);
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->devices, placement.devices);
  EXPECT_EQ(read->source, path_);
  ASSERT_NE(read->Find("W"), nullptr);
  EXPECT_EQ(*read->Find("W"), "/job:worker/task:0/device:cpu:0");
  EXPECT_EQ(read->Find("V"), nullptr);
}

TEST_F(PlacementFileTest, NeedsNothingButNodes) {
  EXPECT_TRUE(StatusOf(R"({"nodes": {}})").ok());
  EXPECT_TRUE(StatusOf(R"({"by": "me", "nodes": {"x": "/job:a"}, "why": [1, 2]})").ok());
}

TEST_F(PlacementFileTest, SaysWhatIsWrong) {
  EXPECT_EQ(ReadPlacement(path_).status().code(), Code::kNoInput);
  for (const char* text : {"", "{", "[]", R"({"nodes": 3})", R"({"nodes": {"x": 1}})", R"({"other": {}})",
                           R"({"nodes": {"x": "a", "x": "b"}})", R"({"nodes": {"x": ""}})",
                           R"({"form": 2, "nodes": {}})", R"({"form": "one", "nodes": {}})"}) {
    const Status status = StatusOf(text);
    EXPECT_EQ(status.code(), Code::kDataLoss) << text;
    EXPECT_NE(status.message().find(path_), std::string::npos) << status.message();
  }
  EXPECT_NE(StatusOf(R"({"nodes": {"x": 1}})").message().find("'x'"), std::string::npos);
}

}  // namespace
}  // namespace dfrun
