// The numbers of the folders that images are in.
#include "kernels/io/formats/image_classes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Names = std::vector<std::string>;

ImageClasses Classes(const Names& files, const std::optional<Names>& listed = {}) {
  Result<ImageClasses> classes = ImageClasses::Create(files, listed);
  EXPECT_TRUE(classes.ok()) << classes.status().ToString();
  return *std::move(classes);
}
std::string Error(const Names& files, const Names& listed) {
  const Result<ImageClasses> classes = ImageClasses::Create(files, listed);
  return classes.ok() ? "no error" : classes.status().message();
}

TEST(ImageClasses, AFolderIsOneHoweverItsPathIsWritten) {
  const ImageClasses classes =
      Classes({"t/cat/1.png", "t/dog/1.png", "./t/cat/1.jpg", "t/../t/dog/1.jpg", "t//cat/2.png"});
  EXPECT_THAT(classes.names(), ElementsAre("cat", "dog"));
  EXPECT_EQ(classes.NumberOf("./t/cat/1.jpg"), 0);
  EXPECT_EQ(classes.NumberOf("t//cat/2.png"), 0);
  EXPECT_EQ(classes.NumberOf("t/../t/dog/1.jpg"), 1);
  EXPECT_EQ(classes.NumberOf("t/dog/1.png"), 1);
  EXPECT_EQ(classes.SameNames(), "");
}

TEST(ImageClasses, PathsThatLeadToOneFolderNameOne) {
  const ScratchDirectory scratch;
  const auto path = [&](const std::string& name) { return scratch.Path(name); };
  for (const char* folder : {"t/cat", "t/dog"}) std::filesystem::create_directories(path(folder));
  std::filesystem::create_directory_symlink(path("t"), path("a"));
  std::filesystem::create_directory_symlink(path("t/cat"), path("feline"));
  std::filesystem::create_symlink(path("t/dog/1.png"), path("t/cat/2.png"));
  const Names files = {path("t/cat/1.png"), path("t/cat/2.png"),  path("t/dog/1.png"),  path("a/cat/1.jpg"),
                       path("a/dog/1.jpg"), path("feline/1.gif"), path("t/./cat/3.png")};
  const std::vector<int64_t> numbers = {0, 0, 1, 0, 1, 0, 0};
  const ImageClasses classes = Classes(files);
  EXPECT_THAT(classes.names(), ElementsAre("cat", "dog"));
  for (size_t i = 0; i < files.size(); ++i) EXPECT_EQ(classes.NumberOf(files[i]), numbers[i]) << files[i];
  // The first path gives the folder and the name of a class.
  EXPECT_THAT(Classes({path("feline/1.gif"), path("t/cat/1.png"), path("a/dog/1")}).names(),
              ElementsAre("dog", "feline"));
  EXPECT_THAT(Classes({path("t/dog/1"), path("feline/1.gif"), path("t/cat/1.png")}).names(),
              ElementsAre("feline", "dog"));
  EXPECT_EQ(Classes({path("t/cat/1"), path("feline/1")}, Names{"dog", "cat"}).NumberOf(path("feline/1")), 1);
  EXPECT_THAT(Error({path("feline/1"), path("t/cat/1")}, {"dog", "cat"}), HasSubstr("feline is none of 'classes'"));
}

// On another host the links may not be there, or lead elsewhere.
TEST(ImageClasses, WhatIsOneFolderIsTold) {
  const ScratchDirectory scratch;
  std::filesystem::create_directories(scratch.Path("t/cat"));
  std::filesystem::create_directory_symlink(scratch.Path("t"), scratch.Path("u"));
  const Names files = {scratch.Path("u/cat/1"), scratch.Path("t/cat/1"), scratch.Path("t/dog/1")};
  const Names told = Classes(files).Folders();
  EXPECT_THAT(told, ElementsAre("1", "0", "1"));
  std::filesystem::remove(scratch.Path("u"));
  std::filesystem::create_directories(scratch.Path("u/cat"));
  EXPECT_THAT(Classes(files).names().size(), 3);
  const Result<ImageClasses> classes = ImageClasses::Create(files, {}, told);
  ASSERT_TRUE(classes.ok());
  EXPECT_EQ(classes->NumberOf(files[0]), classes->NumberOf(files[1]));
  EXPECT_THAT(classes->names(), ElementsAre("dog", "cat"));
  EXPECT_FALSE(ImageClasses::Create(files, {}, Names{"0"}).ok());
}

TEST(ImageClasses, NamesAreAsLongAsTellsThemApart) {
  const ImageClasses classes = Classes({"a/cat/1", "a/dog/1", "b/cat/1", "c/x/y/1", "d/x/y/1"});
  EXPECT_THAT(classes.names(), ElementsAre("a/cat", "dog", "b/cat", "c/x/y", "d/x/y"));
  EXPECT_EQ(classes.SameNames(), "a/cat and b/cat");
  EXPECT_THAT(Classes({"x/1", "y/x/1"}).names()[1], "y/x");
  EXPECT_THAT(Classes({"/1.png"}).names(), ElementsAre(""));
}

TEST(ImageClasses, AListGivesTheNumbers) {
  const Names files = {"a/cat/1", "a/dog/1", "b/cat/1", "b/dog/old/1"};
  const ImageClasses classes = Classes(files, Names{"dog", "bird", "cat", "dog/old"});
  EXPECT_THAT(classes.names(), ElementsAre("dog", "bird", "cat", "dog/old"));
  EXPECT_EQ(classes.NumberOf(files[0]), 2);
  EXPECT_EQ(classes.NumberOf(files[1]), 0);
  EXPECT_EQ(classes.NumberOf(files[2]), 2);
  EXPECT_EQ(classes.NumberOf(files[3]), 3);
  EXPECT_EQ(classes.SameNames(), "");
}

TEST(ImageClasses, BadLists) {
  EXPECT_EQ(
      Error({"t/cat/1"}, {"cta", "dog"}),
      "the folder t/cat is none of 'classes' (cta, dog), did you mean 'cta'?; list it there, or leave its files out of "
      "the paths");
  EXPECT_EQ(Error({"t/cat/1"}, {"cat", "./cat/"}), "'classes' lists './cat/' twice");
  EXPECT_THAT(Error({"t/cat/1"}, {"cat", ""}), HasSubstr("lists '', which no folder can be named"));
  EXPECT_THAT(Error({"t/cat/1"}, {"cat", ".."}), HasSubstr("which no folder can be named"));
}

}  // namespace
}  // namespace dfrun
