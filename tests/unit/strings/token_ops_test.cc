// ReadTextRange and TokenCounts as nodes: the parts of a file are the file, and no token is in two of them.
#include <gtest/gtest.h>
#include <zlib.h>

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
            Code::kNoInput);
  EXPECT_EQ(runner_.Run("ReadTextRange", PartOf(0, 1), {Tensor::Scalar<std::string>(directory_.path() + "/n*")})
                .status()
                .code(),
            Code::kNoInput);
}

std::string Zipped(const std::string& plain, int window_bits) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, plain.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// The words of all parts together, counted.
class TextFiles : public TokenOps {
 protected:
  std::map<std::string, int64_t> Count(const std::string& names, int64_t parts, const std::string& letters) {
    std::map<std::string, int64_t> counts;
    for (int64_t part = 0; part < parts; ++part) {
      AttrMap attrs = PartOf(part, parts);
      attrs.Set("letters", letters);
      const auto read = runner_.Run("ReadTextRange", attrs, {Tensor::Scalar<std::string>(names)});
      EXPECT_TRUE(read.ok()) << read.status().ToString();
      if (!read.ok()) return {};
      const auto found = runner_.Run("TokenCounts", {{"letters", letters}}, {(*read)[0]});
      EXPECT_TRUE(found.ok()) << found.status().ToString();
      for (int64_t i = 0; i < (*found)[0].num_elements(); ++i) {
        counts[(*found)[0].data<std::string>()[i]] += (*found)[1].data<int64_t>()[i];
      }
    }
    return counts;
  }
};

TEST_F(TextFiles, SeveralFilesOfAnyKindAreOneText) {
  directory_.Write("a.txt", "one two one");
  directory_.Write("b.txt", "two three");  // no token goes over from a.txt
  directory_.Write("c.gz", Zipped("four one " + std::string(3000, '.') + " one", 15 + 16));
  directory_.Write("d.z", Zipped("five five", 15));
  const std::map<std::string, int64_t> expected = {{"one", 4}, {"two", 2}, {"three", 1}, {"four", 1}, {"five", 2}};
  const std::string& d = directory_.path();
  for (const int64_t parts : {1, 2, 3, 7, 50}) {
    EXPECT_EQ(Count(d + "/*", parts, "A-Za-z"), expected) << parts;
    EXPECT_EQ(Count(d + "/a.txt, " + d + "/[b-d].*", parts, "A-Za-z"), expected) << parts;
    EXPECT_EQ(Count("[" + d + "/?.txt," + d + "/c.gz," + d + "/d.z]", parts, "unicode"), expected) << parts;
  }
  directory_.Write("e, f", "comma");
  EXPECT_EQ(Count(d + "/e, f", 2, "A-Za-z"), (std::map<std::string, int64_t>{{"comma", 1}}));
}

// "x^" are the first two bytes of compressed data too.
TEST_F(TextFiles, ATextThatBeginsAsCompressedDataDoesIsOne) {
  directory_.Write("t", "x^2 plus y");
  EXPECT_EQ(Count(directory_.path() + "/t", 1, "A-Za-z"),
            (std::map<std::string, int64_t>{{"x", 1}, {"plus", 1}, {"y", 1}}));
  const std::string cut = Zipped(std::string(500, 'a') + "bcdefghijk", 15);
  directory_.Write("cut", cut.substr(0, cut.size() - 6));
  const auto read =
      runner_.Run("ReadTextRange", PartOf(0, 1), {Tensor::Scalar<std::string>(directory_.path() + "/cut")});
  EXPECT_EQ(read.status().code(), Code::kNoInput) << read.status().ToString();
}

TEST_F(TextFiles, PartsAreCutBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "\xd0\xb6\xd1\x83\xd0\xba \xe5\xad\x97\xe5\xad\x97, \xf0\x90\x8c\xb0\xff";
  directory_.Write("t", text);
  const std::map<std::string, int64_t> expected = {
      {"\xd0\xb6\xd1\x83\xd0\xba", 40}, {"\xe5\xad\x97\xe5\xad\x97", 40}, {"\xf0\x90\x8c\xb0", 40}};
  for (const int64_t parts : {1, 2, 7, 33, 500}) EXPECT_EQ(Count(directory_.path() + "/t", parts, "unicode"), expected);
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
