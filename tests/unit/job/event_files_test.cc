// The events that a job tells its event files, read back.
#include "src/job/event_files.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "src/base/file.h"
#include "src/storage/summary.pb.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

using Values = std::vector<std::pair<std::string, Tensor>>;

// The events of all files of a directory, in the order of the files.
std::vector<proto::Event> EventsOf(const std::string& directory) {
  std::vector<proto::Event> events;
  const Result<std::vector<std::string>> names = ListDirectory(directory);
  if (!names.ok()) return events;
  for (const std::string& name : *names) {
    if (!name.starts_with(kEventFilePrefix)) continue;
    const std::string text = *ReadFile(StrCat(directory, "/", name), size_t{1} << 24);
    EventFileReader reader(text);
    for (std::string_view record; reader.Next(record);) {
      EXPECT_TRUE(events.emplace_back().ParseFromString(std::string(record)));
    }
  }
  return events;
}

// "step tag" of each value of each summary.
std::vector<std::string> TagsOf(const std::string& directory) {
  std::vector<std::string> tags;
  for (const proto::Event& event : EventsOf(directory)) {
    proto::Summary summary;
    EXPECT_TRUE(summary.ParseFromString(event.summary()));
    for (const auto& value : summary.value()) tags.push_back(StrCat(event.step(), " ", value.tag()));
  }
  return tags;
}

JobSpec Spec() {
  JobSpec job;
  job.evals.emplace_back().name = "eval";
  return job;
}

TEST(EventFilesTest, StepsAndEvaluationsAreRunsOfTheirOwn) {
  const ScratchDirectory scratch;
  const JobSpec job = Spec();
  EventFiles events(scratch.Path("events"), job, JsonValue::Object());
  events.SetGraph("a graph");
  events.OnBegin(0, 20);
  const Values loss = {{"loss", Tensor::Scalar(2.0F)}, {"several", Tensor::Vector<float>({1, 2})}};
  ASSERT_TRUE(events.OnStep({.step = 10, .values = loss}).ok());
  const Values metrics = {{"eval/accuracy", Tensor::Scalar(0.5)}, {"eval/deep/name", Tensor::Scalar(1.5)}};
  ASSERT_TRUE(events.OnEvaluation({.step = 10, .values = metrics}).ok());
  EXPECT_EQ(TagsOf(scratch.Path("events/train")), (std::vector<std::string>{"10 loss", "10 custom_scalars__config__"}));
  EXPECT_EQ(TagsOf(scratch.Path("events/eval")), (std::vector<std::string>{"10 accuracy", "10 deep/name"}));
  const proto::Event start = EventsOf(scratch.Path("events/train"))[1];
  EXPECT_EQ(start.session_log().status(), proto::SessionLog::START);
  EXPECT_EQ(start.step(), 1);
  EXPECT_EQ(EventsOf(scratch.Path("events/train"))[2].graph_def(), "a graph");
  EXPECT_EQ(TagsOf(scratch.Path("events")), std::vector<std::string>{"0 _hparams_/session_start_info"});
}

TEST(EventFilesTest, SummariesGoInAsTheyAre) {
  const ScratchDirectory scratch;
  const JobSpec job = Spec();
  EventFiles events(scratch.Path("events"), job, JsonValue::Object());
  Tensor two(DType::kString, Shape({2}));
  two.data<std::string>()[0] =
      "\x0a\x03\x0a\x01"
      "a";
  two.data<std::string>()[1] =
      "\x0a\x03\x0a\x01"
      "b";
  const Tensor summaries[] = {two};
  ASSERT_TRUE(events.OnSummaries({.step = 3, .values = {}, .summaries = summaries}).ok());
  const std::vector<proto::Event> written = EventsOf(scratch.Path("events/train"));
  ASSERT_EQ(written.size(), 3u);
  EXPECT_EQ(written[1].step(), 3);
  EXPECT_EQ(written[1].summary(), two.data<std::string>()[0]);
  EXPECT_EQ(written[2].summary(), two.data<std::string>()[1]);
}

TEST(EventFilesTest, AStartAddsFilesAndOneSessionStays) {
  const ScratchDirectory scratch;
  const JobSpec job = Spec();
  for (int start = 0; start < 2; ++start) {
    EventFiles events(scratch.Path("events"), job, JsonValue::Object());
    events.OnBegin(0, 20);
    const Values loss = {{"loss", Tensor::Scalar(2.0F)}};
    ASSERT_TRUE(events.OnStep({.step = 10 * (start + 1), .values = loss}).ok());
    events.OnEnd(start == 0 ? IoError("no disk") : Status());
  }
  EXPECT_EQ(ListDirectory(scratch.Path("events/train"))->size(), 2u);
  EXPECT_EQ(TagsOf(scratch.Path("events")),
            (std::vector<std::string>{"0 _hparams_/session_start_info", "0 _hparams_/session_end_info"}));
}

TEST(EventFilesTest, AJobThatWillGoOnHasNoEnd) {
  for (const Code code : {Code::kRequeue, Code::kInterrupted}) {
    const ScratchDirectory scratch;
    const JobSpec job = Spec();
    EventFiles events(scratch.Path("events"), job, JsonValue::Object());
    events.OnBegin(0, 20);
    events.OnEnd(Error(code, "a signal"));
    EXPECT_EQ(TagsOf(scratch.Path("events")), std::vector<std::string>{"0 _hparams_/session_start_info"});
  }
}

TEST(EventFilesTest, AScalarTakesFewBytes) {
  const ScratchDirectory scratch;
  const JobSpec job = Spec();
  EventFiles events(scratch.Path("events"), job, JsonValue::Object());
  const Values loss = {{"loss", Tensor::Scalar(2.0F)}};
  ASSERT_TRUE(events.OnStep({.step = 1'000'000, .values = loss}).ok());
  const std::string file = StrCat(scratch.Path("events/train/"), ListDirectory(scratch.Path("events/train"))->at(0));
  const size_t before = ReadFile(file, size_t{1} << 20)->size();
  ASSERT_TRUE(events.OnStep({.step = 1'000'010, .values = loss}).ok());
  EXPECT_LE(ReadFile(file, size_t{1} << 20)->size() - before, 100u);
}

TEST(EventFilesTest, AnEvaluationNamedTrainHasItsOwnDirectory) {
  const ScratchDirectory scratch;
  const JobSpec job = Spec();
  EventFiles events(scratch.Path("events"), job, JsonValue::Object());
  const Values metrics = {{"train/loss", Tensor::Scalar(0.5)}};
  ASSERT_TRUE(events.OnEvaluation({.step = 10, .values = metrics}).ok());
  EXPECT_EQ(TagsOf(scratch.Path("events/train.eval")), std::vector<std::string>{"10 loss"});
}

TEST(EventFilesTest, ADirectoryThatCannotBeMadeEndsNothing) {
  const ScratchDirectory scratch;
  scratch.Write("events", "a file");
  const JobSpec job = Spec();
  EventFiles events(scratch.Path("events"), job, JsonValue::Object());
  events.OnBegin(0, 20);
  const Values loss = {{"loss", Tensor::Scalar(2.0F)}};
  EXPECT_TRUE(events.OnStep({.step = 10, .values = loss}).ok());
  events.OnEnd(Status());
}

}  // namespace
}  // namespace dfrun
