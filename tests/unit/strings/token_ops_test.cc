// ReadTextRange and TokenCounts as nodes: the parts of a file are the file, and no token is in two of them.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "tests/unit/testing/node_runner.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

using testing::NodeRunner;

const AttrMap kLetters{{"letters", std::string("A-Za-z")}};

AttrMap PartOf(int64_t part, int64_t parts) {
  AttrMap attrs = kLetters;
  attrs.Set("part", part);
  attrs.Set("parts", parts);
  return attrs;
}

class TokenOps : public ::testing::Test {
 protected:
  Result<std::vector<Tensor>> Read(const std::string& text, int64_t part, int64_t parts) {
    const std::string path = directory_.path() + "/text";
    std::ofstream(path, std::ios::binary) << text;
    return runner_.Run("ReadTextRange", PartOf(part, parts), {Tensor::Scalar<std::string>(path)});
  }

  ScratchDirectory directory_;
  NodeRunner runner_;
};

TEST_F(TokenOps, PartsOfAFileAreTheFile) {
  std::string text = "  ";
  for (int i = 0; i < 500; ++i) text += std::string(static_cast<size_t>(i % 17), 'a') + (i % 3 == 0 ? ", " : "\n");
  for (int64_t parts : {1, 2, 3, 7, 64, 5000}) {
    std::string whole;
    for (int64_t part = 0; part < parts; ++part) {
      const Result<std::vector<Tensor>> read = Read(text, part, parts);
      ASSERT_TRUE(read.ok()) << read.status().ToString();
      const std::string& piece = (*read)[0].scalar<std::string>();
      if (part > 0 && !piece.empty()) {
        EXPECT_EQ(piece[0], 'a');
        if (!whole.empty()) {
          EXPECT_NE(whole.back(), 'a');
        }
      }
      whole += piece;
    }
    EXPECT_EQ(whole, text) << parts << " parts";
  }
}

TEST_F(TokenOps, PartsThatAreNotThereAreRefused) {
  EXPECT_EQ(Read("a b", 3, 3).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(runner_.Run("ReadTextRange", PartOf(0, 1), {Tensor::Scalar<std::string>(directory_.path() + "/none")})
                .status()
                .code(),
            Code::kIo);
}

TEST_F(TokenOps, CountsAreOfAllTexts) {
  const Result<std::vector<Tensor>> counted =
      runner_.Run("TokenCounts", kLetters, {Tensor::Vector<std::string>({"a b a", "", "b, c"})});
  ASSERT_TRUE(counted.ok()) << counted.status().ToString();
  EXPECT_TRUE((*counted)[0].Identical(Tensor::Vector<std::string>({"a", "b", "c"}))) << (*counted)[0].ToString();
  EXPECT_TRUE((*counted)[1].Identical(Tensor::Vector<int64_t>({2, 2, 1}))) << (*counted)[1].ToString();
}

}  // namespace
}  // namespace dfrun
