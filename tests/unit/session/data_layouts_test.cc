#include "src/session/data_layouts.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "src/session/layout_finders.h"
#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

class DataLayoutsTest : public ::testing::Test {
 protected:
  // A file of this rank.
  FileVersion Write(const std::string& name, uint64_t bytes) {
    std::ofstream(scratch_.Path(name), std::ios::binary).put('x');
    std::filesystem::resize_file(scratch_.Path(name), bytes);
    return *VersionOfPath(scratch_.Path(name));
  }
  // The layout that rank 0 has of the file.
  static std::string Told(const FileVersion& file, const std::string& dataset = "/x") {
    return SerializeLayout({file, {{dataset, {.dtype = DType::kFloat, .shape = Shape({2})}}}});
  }
  // A graph with a reader of the files, told of them by a process of `host`.
  testing::GraphMaker MakeReader(const std::string& host, const std::vector<std::string>& names,
                                 const std::vector<std::string>& told) const {
    std::vector<std::string> files;
    for (const std::string& name : names) files.push_back(scratch_.Path(name));
    testing::GraphMaker maker;
    maker.Add("read", "SampleReader", {maker.Scalar<int64_t>("position", 0)},
              {{"component_types", std::vector<DType>{DType::kFloat}},
               {"format", "hdf5"},
               {"files", files},
               {"fields", std::vector<std::string>{"/x"}},
               {"sample_shapes", std::vector<PartialShape>{PartialShape(std::vector<int64_t>())}},
               {"shapes", std::vector<PartialShape>{PartialShape({2})}},
               {"layouts", SerializeLayouts({host, told})}});
    return maker;
  }
  static std::vector<std::string> Adopted(const DataLayouts& layouts, testing::GraphMaker& maker) {
    layouts.Adopt(maker.graph);
    const Hdf5Layouts adopted = LayoutsOf(maker.graph.node(maker.graph.Find("read")));
    EXPECT_EQ(adopted.host, HostId());
    return adopted.files;
  }
  static std::vector<std::string> Paths(const control::Layouts& unknown) {
    std::vector<std::string> paths;
    for (const auto& file : unknown.files()) paths.push_back(file.path());
    return paths;
  }

  const ScratchDirectory scratch_;
};

TEST_F(DataLayoutsTest, RanksElsewhereBelieveWhatWasCompared) {
  const FileVersion small = Write("small", 100);
  const FileVersion large = Write("large", 9 << 20);
  const FileVersion later = Write("later", 9 << 20);
  const FileVersion shorter = Write("shorter", 100);
  Write("alone", 100);
  FileVersion there{.device = 1, .inode = 2, .bytes = 100, .modified_ns = 7, .changed_ns = 8};
  const FileVersion small_there = there;
  there.bytes = 9 << 20;
  const FileVersion later_there = there;  // other time of last change than here
  there.modified_ns = large.modified_ns;
  testing::GraphMaker maker =
      MakeReader("another host", {"small", "large", "later", "shorter", "alone"},
                 {Told(small_there), Told(there), Told(later_there), Told(later_there), Told(small_there)});
  const SameFiles same = {{scratch_.Path("small"), small},
                          {scratch_.Path("large"), large},
                          {scratch_.Path("later"), later},
                          {scratch_.Path("shorter"), shorter}};
  DataLayouts layouts;
  control::Layouts unknown;
  layouts.AddUnknown(maker.graph, same, unknown);
  EXPECT_EQ(unknown.host(), HostId());
  EXPECT_EQ(Paths(unknown),
            (std::vector<std::string>{scratch_.Path("later"), scratch_.Path("shorter"), scratch_.Path("alone")}));
  EXPECT_EQ(unknown.files(0).layout(), Told(later));
  const std::vector<std::string> adopted = Adopted(layouts, maker);
  EXPECT_EQ(adopted, (std::vector<std::string>{Told(small), Told(large), "", "", ""}));
}

TEST_F(DataLayoutsTest, RanksOfTheHostKeepWhatTheyWereTold) {
  const FileVersion file = Write("file", 100);
  FileVersion changed = file;
  ++changed.changed_ns;
  Write("other", 100);
  testing::GraphMaker maker = MakeReader(HostId(), {"file", "other"}, {Told(file), Told(changed)});
  DataLayouts layouts;
  control::Layouts unknown;
  layouts.AddUnknown(maker.graph, {}, unknown);
  EXPECT_EQ(Paths(unknown), std::vector<std::string>{scratch_.Path("other")});
  EXPECT_EQ(Adopted(layouts, maker), (std::vector<std::string>{Told(file), ""}));
}

TEST_F(DataLayoutsTest, AFileIsAskedForOnceUnlessItChanges) {
  Write("file", 100);
  Write("missing", 100);
  std::filesystem::remove(scratch_.Path("missing"));
  const FileVersion there{.device = 1, .inode = 2, .bytes = 100, .modified_ns = 7, .changed_ns = 8};
  const auto ask = [&](DataLayouts& layouts, const std::string& dataset) {
    testing::GraphMaker maker =
        MakeReader("another host", {"file", "missing"}, {Told(there, dataset), Told(there, dataset)});
    control::Layouts unknown;
    layouts.AddUnknown(maker.graph, {}, unknown);
    return unknown;
  };
  DataLayouts layouts;
  const control::Layouts unknown = ask(layouts, "/x");
  ASSERT_EQ(Paths(unknown), std::vector<std::string>{scratch_.Path("file")});
  layouts.Know(unknown.files(0));
  EXPECT_EQ(ask(layouts, "/x").files_size(), 0);
  const control::Layouts further = ask(layouts, "/y");
  ASSERT_EQ(further.files_size(), 1);
  layouts.Know(further.files(0));
  EXPECT_EQ(ask(layouts, "/x").files_size(), 0);
  EXPECT_EQ(ask(layouts, "/y").files_size(), 0);
  Write("file", 101);
  EXPECT_EQ(ask(layouts, "/x").files_size(), 1);
}

control::Layouts Questions(int rank, const std::string& host, const std::vector<std::string>& layouts) {
  control::Layouts questions;
  questions.set_rank(rank);
  questions.set_host(host);
  for (const std::string& layout : layouts) {
    control::Layouts::File* const file = questions.add_files();
    file->set_path("data.h5");
    file->set_layout(layout);
  }
  return questions;
}

TEST(LayoutFinders, OneRankOfAHostLooksForAllThatSeeTheFile) {
  // Ranks 1 to 3 are of one host; rank 3 sees another file there.
  LayoutFinders finders({Questions(2, "b", {"file"}), Questions(1, "b", {"file"}), Questions(3, "b", {"other file"}),
                         Questions(4, "c", {"file"}), Questions(5, "c", {"file"})});
  std::vector<int> files;
  for (int rank = 1; rank < 6; ++rank) files.push_back(finders.RequestTo(rank).files_size());
  EXPECT_EQ(files, (std::vector<int>{1, 0, 1, 1, 0}));
  finders.Take(Questions(1, "", {"found on b"}));
  finders.Take(Questions(3, "", {"found by rank 3"}));
  finders.Take(Questions(4, "", {""}));  // the file could not be read
  std::vector<std::string> told;
  for (int rank = 1; rank < 6; ++rank) {
    control::Build build;
    finders.AddFound(rank, build);
    told.push_back(build.files().empty() ? "" : build.files(0).layout());
  }
  EXPECT_EQ(told, (std::vector<std::string>{"", "found on b", "", "", ""}));
}

TEST(LayoutFinders, AnswersAreInTheOrderOfTheQuestions) {
  LayoutFinders finders({Questions(1, "b", {"one", "two", "three"}), Questions(2, "b", {"three", "one"})});
  control::FindLayouts request = finders.RequestTo(1);
  ASSERT_EQ(request.files_size(), 3);
  control::Layouts answers;
  answers.set_rank(1);
  for (control::Layouts::File file : request.files()) {
    file.set_layout(file.layout() + ", found");
    *answers.add_files() = file;
  }
  finders.Take(answers);
  control::Build build;
  finders.AddFound(2, build);
  ASSERT_EQ(build.files_size(), 2);
  EXPECT_EQ(build.files(0).layout(), "one, found");
  EXPECT_EQ(build.files(1).layout(), "three, found");
}

}  // namespace
}  // namespace dfrun
