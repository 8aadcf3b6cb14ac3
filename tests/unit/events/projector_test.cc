// The files of the projector.
#include "src/events/projector.h"

#include <gtest/gtest.h>

#include <cstring>

#include "src/base/file.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

constexpr const char* kFolder = "run/plugins/org_tensorflow_tensorboard_projector/";

Tensor Rows() {
  Tensor rows(DType::kDouble, Shape({2, 3}));
  for (int i = 0; i < 6; ++i) rows.data<double>()[i] = i + 0.5;
  return rows;
}

std::string Content(const ScratchDirectory& scratch, const std::string& name) {
  const Result<std::string> text = ReadFile(scratch.Path(kFolder + name), 1 << 20);
  EXPECT_TRUE(text.ok()) << text.status().ToString();
  return text.ok() ? *text : "";
}

TEST(ProjectorTest, RowsAreRawFloatsAndLabelsTheFirstLines) {
  const ScratchDirectory scratch;
  const std::string labels = scratch.Write("labels.tsv", "one\ntwo\nthree\n");
  const Status written = WriteProjector(scratch.Path("run"), {{"words/table", Rows(), labels}});
  ASSERT_TRUE(written.ok()) << written.ToString();
  EXPECT_EQ(Content(scratch, "projector_config.pbtxt"),
            "embeddings {\n  tensor_name: \"words/table\"\n  tensor_shape: 2\n  tensor_shape: 3\n"
            "  tensor_path: \"0-words_table.bytes\"\n  metadata_path: \"0-words_table.tsv\"\n}\n");
  EXPECT_EQ(Content(scratch, "0-words_table.tsv"), "one\ntwo\n");
  const std::string bytes = Content(scratch, "0-words_table.bytes");
  ASSERT_EQ(bytes.size(), 6 * sizeof(float));
  float last = 0;
  std::memcpy(&last, bytes.data() + 5 * sizeof(float), sizeof last);
  EXPECT_EQ(last, 5.5F);
}

TEST(ProjectorTest, ATableKeepsTheLineThatNamesItsColumns) {
  const ScratchDirectory scratch;
  const std::string labels = scratch.Write("labels.tsv", "word\tcount\none\t1\ntwo\t2\nthree\t3\n");
  const Status written = WriteProjector(scratch.Path("run"), {{"t", Rows(), labels}});
  ASSERT_TRUE(written.ok()) << written.ToString();
  EXPECT_EQ(Content(scratch, "0-t.tsv"), "word\tcount\none\t1\ntwo\t2\n");
}

TEST(ProjectorTest, FewerLabelsThanRowsAreRefused) {
  const ScratchDirectory scratch;
  const std::string labels = scratch.Write("labels.tsv", "one\n");
  const Status written = WriteProjector(scratch.Path("run"), {{"t", Rows(), labels}});
  EXPECT_EQ(written.code(), Code::kNoInput);
  EXPECT_NE(written.message().find("1 lines for 2 rows"), std::string::npos) << written.message();
  EXPECT_EQ(WriteProjector(scratch.Path("run"), {{"t", Rows(), scratch.Path("none")}}).code(), Code::kNoInput);
}

}  // namespace
}  // namespace dfrun
