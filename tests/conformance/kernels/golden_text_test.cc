// Files of golden cases that are damaged, and cases that cannot be parsed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "tests/conformance/kernels/golden_file.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kTwoCases =
    "# A comment.\n\n"
    "case Neg one\nin float32[1] 1\nout float32[1] -1\n\n"
    "case Abs no number\nin float32[1] x\n";

class GoldenTextTest : public ::testing::Test {
 protected:
  std::string Pack(const std::string& text) const {
    std::string path = folder_.Path("family.txt.gz");
    gzFile file = gzopen(path.c_str(), "wb");
    EXPECT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
    EXPECT_EQ(gzclose(file), Z_OK);
    return path;
  }
  const ScratchDirectory folder_;
};

TEST_F(GoldenTextTest, ParsesTheCasesOfTheOpThatIsAskedFor) {
  const Result<GoldenText> file = ReadGoldenText(Pack(kTwoCases));
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  EXPECT_THAT(OpsOf(*file), ElementsAre("Abs", "Neg"));
  const Result<std::vector<GoldenCase>> cases = ParseCases(*file, "Neg");
  ASSERT_TRUE(cases.ok()) << cases.status().ToString();
  ASSERT_EQ(cases->size(), 1);
  EXPECT_EQ(cases->front().name, "one");
  EXPECT_EQ(cases->front().line, 3);
  EXPECT_EQ(cases->front().outputs.size(), 1);
}

TEST_F(GoldenTextTest, ErrorsNameFileAndLine) {
  const std::string path = Pack(kTwoCases);
  EXPECT_THAT(ReadGoldenFile(path).status().ToString(), HasSubstr(path + ":8: cannot read the element 'x'"));
  EXPECT_THAT(ReadGoldenFile(Pack("\nulps 3\n")).status().ToString(),
              HasSubstr(path + ":2: a line before the first case"));
}

TEST_F(GoldenTextTest, DamagedFilesAreRefused) {
  const std::string whole = GoldenFiles(GoldenDir()).front();
  FILE* const file = std::fopen(whole.c_str(), "rb");
  std::string start(1000, '\0');
  ASSERT_EQ(std::fread(start.data(), 1, start.size(), file), start.size()) << whole;
  std::fclose(file);
  const std::string cut = folder_.Write("cut.txt.gz", start);
  EXPECT_THAT(ReadGoldenText(cut).status().ToString(), HasSubstr(cut + ": the compressed data is cut short"));
  const std::string plain = folder_.Write("plain.txt.gz", "case Neg one\n");
  EXPECT_THAT(ReadGoldenText(plain).status().ToString(), HasSubstr(plain + ": the compressed data is damaged"));
}

TEST_F(GoldenTextTest, OnlyPackedTextIsAFileOfCases) {
  const std::string path = Pack(kTwoCases);
  folder_.Write("requirements.txt", "numpy\n");
  EXPECT_THAT(GoldenFiles(folder_.path()), ElementsAre(path));
  EXPECT_EQ(FamilyOf(path), "family");
}

}  // namespace
}  // namespace dfrun::testing
