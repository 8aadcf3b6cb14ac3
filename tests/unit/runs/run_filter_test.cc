#include "src/runs/run_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dfrun {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

RunSummary Run(const std::string& path, const std::string& lr, double accuracy, RunState state = RunState::kDone) {
  RunSummary run;
  run.path = path;
  run.state = state;
  run.params = {{"lr", lr}, {"batch", "64"}, {"optimizer", "adam"}};
  run.metrics.step = 100;
  run.metrics.last = {{"eval/accuracy", StrCat(accuracy), 100}, {"state", "\"00ff\"", 100}};
  return run;
}

std::vector<RunSummary> Runs() {
  return {Run("a", "0.1", 0.5), Run("b", "0.01", 0.9, RunState::kKilled), Run("c", "1e-3", 0.7)};
}

std::vector<RunCells> Cells(const std::vector<RunSummary>& runs) {
  std::vector<RunCells> cells;
  for (const RunSummary& run : runs) cells.push_back(CellsOf(run));
  return cells;
}

std::string Taken(const std::string& text) {
  const Result<RunFilter> filter = RunFilter::Parse(text);
  if (!filter.ok()) return filter.status().message();
  std::string taken;
  for (const RunCells& cells : Cells(Runs())) {
    if (filter->Takes(cells)) taken += cells.at("run").text;
  }
  return taken;
}

TEST(RunFilterTest, NumbersAreComparedAsNumbers) {
  EXPECT_EQ(Taken("lr < 0.1"), "bc");
  EXPECT_EQ(Taken("lr<=0.1"), "abc");
  EXPECT_EQ(Taken("lr = 0.001"), "c");
  EXPECT_EQ(Taken("lr == 1e-2"), "b");
  EXPECT_EQ(Taken("lr != 0.01"), "ac");
  EXPECT_EQ(Taken("eval/accuracy >= 0.7"), "bc");
  EXPECT_EQ(Taken("eval/accuracy > 0.7"), "b");
  EXPECT_EQ(Taken("params.lr > 0.05"), "a");
  EXPECT_EQ(Taken("step = 100"), "abc");
}

TEST(RunFilterTest, WordsAreComparedByLetters) {
  EXPECT_EQ(Taken("state = done"), "ac");
  EXPECT_EQ(Taken("state != 'done'"), "b");
  EXPECT_EQ(Taken("optimizer = \"adam\""), "abc");
  EXPECT_EQ(Taken("optimizer < 5"), "");
  EXPECT_EQ(Taken("optimizer != 5"), "abc");
  EXPECT_EQ(Taken("run > a"), "bc");
}

TEST(RunFilterTest, AllComparisonsHold) {
  EXPECT_EQ(Taken("lr < 0.1 and state = done"), "c");
  EXPECT_EQ(Taken("lr < 0.1 and eval/accuracy > 0.8 and state = killed"), "b");
  EXPECT_EQ(Taken("run = 'x and y'"), "");
  EXPECT_EQ(Taken(""), "abc");
  EXPECT_EQ(Taken("  "), "abc");
}

TEST(RunFilterTest, ARunWithoutTheFactIsLeftOut) {
  EXPECT_EQ(Taken("exit = 0"), "");
  EXPECT_EQ(Taken("exit != 0"), "");
}

TEST(RunFilterTest, OtherTextIsAnError) {
  for (const char* const text : {"lr", "lr <", "< 3", "lr 3", "lr < 3 and", "lr < 3 and state", "and"}) {
    EXPECT_EQ(RunFilter::Parse(text).status().code(), Code::kUsage) << text;
  }
  EXPECT_THAT(Taken("lr < 3 and stat"), HasSubstr("'stat' is no comparison"));
}

TEST(RunFilterTest, ANameOfNoRunIsAnErrorWithTheNearest) {
  const std::vector<RunCells> cells = Cells(Runs());
  EXPECT_TRUE(RunFilter::Parse("lr < 3")->CheckNames(cells).ok());
  const Status wrong = RunFilter::Parse("lr < 3 and eval/acuracy > 1")->CheckNames(cells);
  EXPECT_EQ(wrong.code(), Code::kUsage);
  EXPECT_THAT(wrong.message(), HasSubstr("no run has 'eval/acuracy'; the nearest names are 'eval/accuracy'"));
}

std::string Sorted(const std::vector<RunSummary>& runs, const std::string& name) {
  const Result<std::vector<size_t>> order = SortRuns(runs, Cells(runs), name);
  if (!order.ok()) return order.status().message();
  std::string sorted;
  for (const size_t at : *order) sorted += runs[at].path;
  return sorted;
}

TEST(SortRunsTest, TheSmallestComesFirstAndTheBestWhereThatIsSaid) {
  std::vector<RunSummary> runs = Runs();
  EXPECT_EQ(Sorted(runs, ""), "abc");
  EXPECT_EQ(Sorted(runs, "lr"), "cba");
  EXPECT_EQ(Sorted(runs, "-lr"), "abc");
  EXPECT_EQ(Sorted(runs, "eval/accuracy"), "acb");
  runs[0].goal = MetricGoal{"eval/accuracy", true};
  EXPECT_EQ(Sorted(runs, "eval/accuracy"), "bca");
  EXPECT_EQ(Sorted(runs, "-eval/accuracy"), "acb");
  EXPECT_THAT(Sorted(runs, "loss"), HasSubstr("--sort: no run has 'loss'"));
}

TEST(SortRunsTest, RunsWithoutTheFactComeLastAndTextsBehindNumbers) {
  std::vector<RunSummary> runs = Runs();
  runs[2].metrics.last.clear();
  EXPECT_EQ(Sorted(runs, "-eval/accuracy"), "bac");
  EXPECT_EQ(Sorted(runs, "eval/accuracy"), "abc");
  runs[0].params["lr"] = "${schedule}";
  EXPECT_EQ(Sorted(runs, "lr"), "cba");
  runs[1].metrics.last[0].json = "\"NaN\"";
  EXPECT_EQ(Sorted(runs, "eval/accuracy"), "abc");
}

TEST(RunColumnsTest, ParamsThatDifferAreShown) {
  std::vector<RunSummary> runs = Runs();
  runs[1].params["extra"] = "1";
  for (RunSummary& run : runs) run.params["train.learning_rate"] = run.params["lr"];
  for (RunSummary& run : runs) run.of_params = {"train.learning_rate"};
  runs.push_back({});  // one without a spec
  runs[1].goal = MetricGoal{"eval/accuracy", true};
  runs[1].metrics.best = BestMetric{0.95, 50};
  const RunColumns columns = ColumnsOf(runs);
  EXPECT_THAT(columns.params, ElementsAre("extra", "lr"));
  EXPECT_THAT(columns.best, ElementsAre("best eval/accuracy"));
  EXPECT_THAT(columns.last, ElementsAre("eval/accuracy"));  // a text is no number
  EXPECT_EQ(CellsOf(runs[1]).at("best eval/accuracy").number, 0.95);
}

}  // namespace
}  // namespace dfrun
