#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/unit/testing/node_runner.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

namespace fs = std::filesystem;
using testing::Input;
using testing::NodeRunner;

class Files : public ::testing::Test {
 protected:
  Result<std::vector<Tensor>> Run(const std::string& op, const std::vector<Input>& inputs) {
    return runner_.Run(NodeRunner::Way::kUnknownShapes, op, {}, inputs);
  }
  std::string Path(const std::string& name) const { return scratch_.Path(name); }
  static Tensor Text(const std::string& text) { return Tensor::Scalar(text); }

  const ScratchDirectory scratch_;
  NodeRunner runner_;
};

TEST_F(Files, WhatIsWrittenIsRead) {
  const std::string bytes("a\0\n\xff", 4);
  ASSERT_TRUE(Run("WriteFile", {Text(Path("deep/er/file")), Text(bytes)}).ok());
  const auto read = Run("ReadFile", {Text(Path("deep/er/file"))});
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ((*read)[0].scalar<std::string>(), bytes);
  ASSERT_TRUE(Run("WriteFile", {Text(Path("deep/er/file")), Text("")}).ok());
  EXPECT_EQ((*Run("ReadFile", {Text(Path("deep/er/file"))}))[0].scalar<std::string>(), "");
  EXPECT_FALSE(fs::exists(Path("deep/er/file.tmp")));
}

TEST_F(Files, ErrorsNameThePath) {
  const Status missing = Run("ReadFile", {Text(Path("absent"))}).status();
  EXPECT_EQ(missing.code(), Code::kNotFound);
  EXPECT_NE(missing.message().find(Path("absent")), std::string::npos);
  EXPECT_EQ(Run("ReadFile", {Text(scratch_.path())}).status().code(), Code::kIo) << "a directory";
  std::ofstream(Path("file")) << "x";
  EXPECT_EQ(Run("WriteFile", {Text(Path("file/below")), Text("x")}).status().code(), Code::kIo);
  EXPECT_EQ(Run("ReadFile", {Tensor::Vector<std::string>({"a"})}).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Run("WriteFile", {Text("a"), Tensor::Vector<std::string>({"a"})}).status().code(), Code::kInvalidArgument);
}

TEST_F(Files, PatternsFitNames) {
  for (const char* name : {"b.txt", "a.txt", "a.bin", "c", ".hidden"}) std::ofstream(Path(name)) << name;
  fs::create_directories(Path("sub"));
  std::ofstream(Path("sub/d.txt")) << "d";
  const auto match = [&](const std::vector<std::string>& patterns) {
    std::vector<std::string> paths;
    for (const std::string& pattern : patterns) paths.push_back(Path(pattern));
    const auto found = Run("MatchingFiles", {Tensor::Vector<std::string>(std::span<const std::string>(paths))});
    EXPECT_TRUE(found.ok()) << found.status().ToString();
    std::string names;
    for (const std::string& path : (*found)[0].values<std::string>()) {
      names += fs::relative(path, scratch_.path()).string() + " ";
    }
    return names;
  };
  EXPECT_EQ(match({"*.txt"}), "a.txt b.txt ");
  EXPECT_EQ(match({"?"}), "c ");
  EXPECT_EQ(match({"[ab].*"}), "a.bin a.txt b.txt ");
  EXPECT_EQ(match({"*/*.txt", "c"}), "c sub/d.txt ");
  EXPECT_EQ(match({"none*"}), "");
  EXPECT_EQ(match({}), "");
  EXPECT_EQ((*Run("MatchingFiles", {Text(Path("c"))}))[0].num_elements(), 1);
  EXPECT_EQ(Run("MatchingFiles", {Tensor(DType::kString, Shape({1, 1}))}).status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace dfrun
