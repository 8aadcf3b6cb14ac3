// _WriteRows and _SyncFile against the bytes of the file.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "src/base/file.h"
#include "tests/unit/testing/node_runner.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun::testing {
namespace {

class WriteRowsTest : public ::testing::Test {
 protected:
  WriteRowsTest() { std::ofstream(path_) << std::string(4 + 10 * 3, '.'); }

  Result<std::vector<Tensor>> Write(int64_t position, const Tensor& rows, int64_t behind = 0) {
    return runner_.Run(NodeRunner::Way::kStaticShapes, "_WriteRows",
                       {{"path", path_}, {"offset", 4}, {"behind", behind}, {"total", 10}},
                       {Tensor::Scalar(position), rows});
  }
  static Tensor Rows(int64_t rows, char first) {
    Tensor out(DType::kUint8, Shape({rows, 3}));
    for (int64_t i = 0; i < 3 * rows; ++i) out.data<uint8_t>()[i] = static_cast<uint8_t>(first + i);
    return out;
  }
  std::string Content() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }

  const ScratchDirectory directory_;
  const std::string path_ = directory_.path() + "/rows";
  NodeRunner runner_{"cpu"};
};

TEST_F(WriteRowsTest, WritesAtTheRowsPlace) {
  const Result<std::vector<Tensor>> written = Write(1, Rows(2, 'a'));
  ASSERT_TRUE(written.ok()) << written.status().ToString();
  EXPECT_EQ((*written)[0].scalar<int64_t>(), 2);
  EXPECT_EQ(Content(), ".......abcdef.....................");
  ASSERT_TRUE(Write(1, Rows(1, 'x'), /*behind=*/8).ok());
  EXPECT_EQ(Content(), ".......abcdef..................xyz");
  EXPECT_TRUE(runner_.Run(NodeRunner::Way::kStaticShapes, "_SyncFile", {{"path", path_}}, {}).ok());
}

TEST_F(WriteRowsTest, WritesNothingOutsideOfTheArray) {
  const std::string before = Content();
  for (const int64_t position : {-1, 9, 10}) EXPECT_FALSE(Write(position, Rows(2, 'a')).ok()) << position;
  EXPECT_EQ(Write(9, Rows(2, 'a')).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Content(), before);
}

TEST_F(WriteRowsTest, AMissingFileIsAnError) {
  const Result<std::vector<Tensor>> written =
      runner_.Run(NodeRunner::Way::kStaticShapes, "_WriteRows",
                  {{"path", path_ + "none"}, {"offset", 4}, {"total", 10}}, {Tensor::Scalar<int64_t>(0), Rows(1, 'a')});
  EXPECT_EQ(written.status().code(), Code::kIo);
  EXPECT_FALSE(FileDescriptor::OpenForReading(path_ + "none").ok());
}

}  // namespace
}  // namespace dfrun::testing
