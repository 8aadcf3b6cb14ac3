#include "src/runs/spec_lines.h"

#include <gtest/gtest.h>

#include "src/runs/spec_differences.h"

namespace dfrun {
namespace {

// A spec as `dfrun check --print` prints it.
constexpr std::string_view kSpec =
    "# written by dfrun\n"
    "# the spec as it is understood; graph 0123\n"
    "dfrun: 1  # mlp.yaml:1\n"
    "params:  # mlp.yaml:3\n"
    "  hidden: 32  # --set\n"
    "  text: \"a  # b\\n\\\"c\\\"\"  # mlp.yaml:4\n"
    "  other: 'say \"it''s\"'  # mlp.yaml:5\n"
    "inputs:  # mlp.yaml:6\n"
    "  batch:  # mlp.yaml:7\n"
    "    batch: ${batch}  # mlp.yaml:8, 64\n"
    "graph:  # mlp.yaml:9\n"
    "  h1: dense(batch/image, units=${hidden})  # mlp.yaml:10, dense(batch/image, units=32)\n"
    "train:  # mlp.yaml:11\n"
    "  learning_rate: 0.1  # default\n"
    "  freeze:  # mlp.yaml:12\n"
    "    - a  # mlp.yaml:13\n"
    "    -  # mlp.yaml:14\n"
    "      from: b  # mlp.yaml:15\n"
    "    - [1, 2]  # mlp.yaml:16\n"
    "eval: {}  # default\n";

TEST(SpecLinesTest, EachValueHasItsPath) {
  std::vector<std::string> read;
  for (const SpecLine& line : ReadSpecLines(kSpec, /*settings_only=*/false)) {
    read.push_back(line.path + "=" + line.value + " @" + line.origin);
  }
  const std::vector<std::string> wanted = {"dfrun=1 @mlp.yaml:1",
                                           "params= @mlp.yaml:3",
                                           "params.hidden=32 @--set",
                                           "params.text=a  # b\n\"c\" @mlp.yaml:4",
                                           "params.other=say \"it's\" @mlp.yaml:5",
                                           "inputs= @mlp.yaml:6",
                                           "inputs.batch= @mlp.yaml:7",
                                           "inputs.batch.batch=64 @mlp.yaml:8",
                                           "graph= @mlp.yaml:9",
                                           "graph.h1=dense(batch/image, units=32) @mlp.yaml:10",
                                           "train= @mlp.yaml:11",
                                           "train.learning_rate=0.1 @default",
                                           "train.freeze= @mlp.yaml:12",
                                           "train.freeze.0=a @mlp.yaml:13",
                                           "train.freeze.1= @mlp.yaml:14",
                                           "train.freeze.1.from=b @mlp.yaml:15",
                                           "train.freeze.2=[1, 2] @mlp.yaml:16",
                                           "eval={} @default"};
  EXPECT_EQ(read, wanted);
}

TEST(SpecLinesTest, TheGraphCanBeLeftOut) {
  const std::vector<SpecLine> lines = ReadSpecLines(kSpec, /*settings_only=*/true);
  EXPECT_EQ(ValueIn(lines, "graph.h1"), "");
  EXPECT_EQ(ValueIn(lines, "train.learning_rate"), "0.1");
  EXPECT_EQ(ValueIn(lines, "params.hidden"), "32");
}

TEST(SpecLinesTest, OtherTextHasNoLines) {
  EXPECT_TRUE(ReadSpecLines("a: 1\n  b\n\n#  # \nx\n  # y\n", false).empty());
  EXPECT_TRUE(ReadSpecLines("\"a  # b\n'\n-\n", false).empty());
}

std::vector<std::string> Differences(std::string_view a, std::string_view b) {
  std::vector<std::string> found;
  for (const SpecDifference& difference : CompareSpecs(ReadSpecLines(a, false), ReadSpecLines(b, false))) {
    const auto print = [](const std::optional<SpecLine>& line) { return line ? line->text + "@" + line->origin : "-"; };
    found.push_back(difference.path + " " + print(difference.a) + " " + print(difference.b));
  }
  return found;
}

TEST(SpecDifferencesTest, LinesThatDifferAreToldOnceWithTheirOrigins) {
  const std::string_view a = "params:  # a:1\n  x: 1  # a:2\n  y: 2  # a:3\ntrain:  # a:4\n  rate: ${x}  # a:5, 1\n";
  const std::string_view b =
      "params:  # b:1\n  y: 2  # --set\n  x: 3  # --set\ntrain:  # b:4\n  rate: ${x}  # b:5, 3\n"
      "  steps: 5  # default\n";
  EXPECT_EQ(Differences(a, b), (std::vector<std::string>{"params.x 1@a:2 3@--set", "train.steps - 5@default"}));
  EXPECT_EQ(Differences(b, a), (std::vector<std::string>{"params.x 3@--set 1@a:2", "train.steps 5@default -"}));
  EXPECT_TRUE(Differences(a, a).empty());
}

}  // namespace
}  // namespace dfrun
