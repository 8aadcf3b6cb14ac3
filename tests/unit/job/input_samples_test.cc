#include "src/job/input_samples.h"

#include <gtest/gtest.h>

#include "src/base/text.h"
#include "src/checkpoint/manifest_file.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

// Files of two pieces each, of which record 4 (of the second file) is left out.
InputSpec Words() {
  InputSpec input;
  input.name = "words";
  input.config.files = {"a.txt", "b.txt"};
  input.record_index.pieces = {{0, 0, 2}, {0, 64, 1}, {1, 0, 2}, {1, 64, 3}};
  input.record_index.left_out = {4};
  input.num_samples = input.record_index.samples();
  return input;
}

// Returns the checkpoint's record of the input, read back from its manifest.
CheckpointStore::Checkpoint SavedWith(const InputSpec& input) {
  const ScratchDirectory scratch;
  EXPECT_TRUE(WriteManifest(scratch.path(), {.step = 7, .shards = {}, .inputs = {SamplesOf(input)}}).ok());
  auto manifest = ReadManifest(scratch.path());
  EXPECT_TRUE(manifest.ok()) << manifest.status().ToString();
  return {"checkpoints/step-7", *std::move(manifest)};
}

void ExpectRefused(const InputSpec& saved, const InputSpec& now, const std::string& why) {
  const Status status = CheckSameSamples(SavedWith(saved), now);
  EXPECT_EQ(status.code(), Code::kBadSpec);
  EXPECT_NE(status.message().find(why), std::string::npos) << status.message();
}

TEST(InputSamples, AreThoseOfEachFile) {
  const SavedInput saved = SamplesOf(Words());
  EXPECT_EQ(saved.samples, 7);
  ASSERT_EQ(saved.files.size(), 2u);
  EXPECT_EQ(saved.files[0].samples, 3);
  EXPECT_EQ(saved.files[1].samples, 4);
}

TEST(InputSamples, TheSameGoOn) {
  EXPECT_TRUE(CheckSameSamples(SavedWith(Words()), Words()).ok());
  InputSpec moved = Words();
  moved.config.files = {"elsewhere/a.txt", "elsewhere/b.txt"};
  EXPECT_TRUE(CheckSameSamples(SavedWith(Words()), moved).ok());
  InputSpec other = Words();
  other.name = "unknown to the checkpoint";
  EXPECT_TRUE(CheckSameSamples(SavedWith(Words()), other).ok());
}

TEST(InputSamples, OtherNumbersAreRefusedByFile) {
  InputSpec grown = Words();
  grown.record_index.pieces[3].records = 5;
  grown.num_samples = grown.record_index.samples();
  ExpectRefused(Words(), grown, "file b.txt has 6 samples, and b.txt had 4");
  InputSpec damaged = Words();
  damaged.record_index.left_out = {1, 4};
  ExpectRefused(Words(), damaged, "file a.txt has 2 samples, and a.txt had 3");
  InputSpec more = Words();
  more.config.files.push_back("c.txt");
  more.record_index.pieces.push_back({2, 0, 9});
  more.num_samples = more.record_index.samples();
  ExpectRefused(Words(), more, "there are 3 files with 16 samples, and there were 2 with 7: c.txt");
}

TEST(InputSamples, OfManyFilesTheirNumberCounts) {
  InputSpec images;
  images.name = "images";
  images.config.files.assign(5000, "image.png");
  images.num_samples = 5000;
  EXPECT_TRUE(SamplesOf(images).files.empty());
  EXPECT_TRUE(CheckSameSamples(SavedWith(images), images).ok());
  InputSpec fewer = images;
  fewer.num_samples = 4999;
  ExpectRefused(images, fewer, "there are 4999 samples, and there were 5000");
}

// The files and their number are the same: only the classes differ.
TEST(InputSamples, OtherClassesAreRefusedByBothLists) {
  const auto labelled = [](std::vector<std::string> classes) {
    InputSpec input = Words();
    InputTensor& label = input.tensors.emplace_back();
    label.name = "label";
    label.field.classes = std::move(classes);
    return input;
  };
  const auto check = [](const InputSpec& saved, const InputSpec& now) {
    return CheckSameClasses("step-7", SavedWith(saved).manifest, now);
  };
  const InputSpec saved = labelled({"cat", "dog"});
  EXPECT_TRUE(check(saved, saved).ok());
  EXPECT_TRUE(check(saved, labelled({"cat", "dog", "hen"})).ok()) << "the old ones keep theirs";
  EXPECT_TRUE(check(saved, Words()).ok()) << "no label is read any more";
  EXPECT_TRUE(check(Words(), saved).ok()) << "an older checkpoint does not say";
  for (const std::vector<std::string>& now : {std::vector<std::string>{"ant", "cat", "dog"}, {"cat"}, {"dog", "cat"}}) {
    EXPECT_EQ(check(saved, labelled(now)),
              Status(Code::kBadSpec, StrCat("input 'words' numbers the classes [", Join(now),
                                            "], and when the checkpoint step-7 was written ",
                                            "[cat, dog]: 'classes: [...]' of the input gives them the old numbers")));
  }
  EXPECT_EQ(InputsToSave({Words(), saved, Words()}, {2}).size(), 2U);
}

}  // namespace
}  // namespace dfrun
