#include "src/job/event_files.h"

#include <unistd.h>

#include <utility>

#include "src/base/log.h"
#include "src/events/scalar_layout.h"
#include "src/events/traced_steps.h"

namespace dfrun {
namespace {

constexpr const char* kTrain = "train";

std::string MemoryTag(const DeviceMemory& memory) {
  return "memory" + memory.device;
}

// The part of a name "NAME/metric" before the first '/'; evaluations have no '/' in their names.
std::string EvaluationOf(const JobResults& results) {
  return results.values.empty() ? "" : results.values[0].first.substr(0, results.values[0].first.find('/'));
}

}  // namespace

std::string EventDirectoryOf(const std::string& evaluation) {
  return evaluation == kTrain ? "train.eval" : evaluation;
}

Status RemoveEventFiles(const std::string& directory) {
  const Result<std::vector<std::string>> names = ListDirectory(directory);
  if (!names.ok()) return names.status().code() == Code::kNotFound ? Status() : names.status();
  for (const std::string& name : *names) {
    if (!name.starts_with(kEventFilePrefix)) continue;
    const std::string path = StrCat(directory, "/", name);
    if (::unlink(path.c_str()) != 0) return ErrnoError("cannot remove", path);
  }
  return Status();
}

EventFiles::EventFiles(std::string directory, const JobSpec& job, JsonValue hparams)
    : directory_(std::move(directory)),
      job_(job),
      hparams_(std::move(hparams)),
      session_(directory_),
      train_(StrCat(directory_, "/", kTrain)) {}

void EventFiles::SetTrace(int64_t until, std::vector<std::string> files) {
  trace_until_ = until;
  trace_files_ = std::move(files);
}

// A reader keeps the first begin and the first end of a session that it finds: those of an earlier start go.
void EventFiles::OnBegin(int64_t step, int64_t /*steps*/) {
  const double now = EventTime();
  if (const Status removed = RemoveEventFiles(directory_); !removed.ok()) DF_LOG(kWarning) << removed.message();
  session_.AddSummary(0, now, SessionStartSummary(hparams_, now));
  Flush(session_);
  first_step_ = step + 1;
  train_.writer.AddStart(first_step_, now);
  if (!graph_def_.empty()) train_.writer.AddGraph(step, now, std::exchange(graph_def_, std::string()));
  Flush(train_.writer);
}

Status EventFiles::OnStep(const JobResults& results) {
  const double now = EventTime();
  for (const DeviceMemory& memory : results.memory) {
    train_.scalars.Add(MemoryTag(memory), static_cast<double>(memory.peak_bytes));
  }
  for (const auto& values : {results.timings, results.schedule, results.values}) {
    for (const auto& [name, value] : values) {
      if (IsNumber(value)) train_.scalars.Add(name, ToDouble(value));
    }
  }
  if (!train_.scalars.is_empty()) train_.writer.AddSummary(results.step, now, train_.scalars.Take());
  if (!std::exchange(has_layout_, true)) AddLayout(results);
  if (!trace_files_.empty() && results.step >= trace_until_) AddTrace(results.step);
  Flush(train_.writer);
  return Status();
}

Status EventFiles::OnEvaluation(const JobResults& results) {
  const std::string name = EvaluationOf(results);
  Run& run = RunOf(name);
  for (const auto& [metric, value] : results.values) {
    if (IsNumber(value)) run.scalars.Add(metric.substr(name.size() + 1), ToDouble(value));
  }
  if (!run.scalars.is_empty()) run.writer.AddSummary(results.step, EventTime(), run.scalars.Take());
  Flush(run.writer);
  return Status();
}

Status EventFiles::OnSummaries(const JobResults& results) {
  for (const Tensor& summaries : results.summaries) {
    for (const std::string& summary : summaries.values<std::string>()) {
      train_.writer.AddSummary(results.step, EventTime(), summary);
    }
  }
  Flush(train_.writer);
  return Status();
}

void EventFiles::OnEnd(const Status& status) {
  if (status.code() == Code::kRequeue || status.code() == Code::kInterrupted) return;
  const double now = EventTime();
  session_.AddSummary(0, now, SessionEndSummary(status.ok(), now));
  Flush(session_);
}

EventFiles::Run& EventFiles::RunOf(const std::string& evaluation) {
  const auto found = evaluations_.find(evaluation);
  if (found != evaluations_.end()) return found->second;
  Run& run = evaluations_.try_emplace(evaluation, StrCat(directory_, "/", EventDirectoryOf(evaluation))).first->second;
  run.writer.AddStart(first_step_, EventTime());
  return run;
}

void EventFiles::AddLayout(const JobResults& results) {
  std::vector<std::string> qualities;
  std::vector<std::string> others;
  for (const FetchSpec& scalar : job_.summaries.scalars) qualities.push_back(scalar.name);
  for (const EvalSpec& eval : job_.evals) {
    for (const MetricSpec& metric : eval.metrics) qualities.push_back(metric.name);
  }
  for (const auto& values : {results.timings, results.schedule, results.values}) {
    for (const auto& [name, value] : values) {
      if (IsNumber(value)) others.push_back(name);
    }
  }
  for (const DeviceMemory& memory : results.memory) others.push_back(MemoryTag(memory));
  train_.writer.AddSummary(results.step, EventTime(), ScalarLayoutSummary(qualities, others));
}

void EventFiles::AddTrace(int64_t step) {
  const Result<std::map<int64_t, std::string>> steps = TracedSteps(std::exchange(trace_files_, {}));
  if (!steps.ok()) {
    DF_LOG(kWarning) << steps.status().message() << ": TensorBoard gets no times of nodes";
    return;
  }
  for (const auto& [number, metadata] : *steps) {
    train_.writer.AddRunMetadata(step, EventTime(), StrCat("step ", number, " of the session"), metadata);
  }
}

void EventFiles::Flush(EventWriter& writer) {
  const Status written = writer.Flush();
  if (written.ok() || std::exchange(has_warned_, true)) return;
  DF_LOG(kWarning) << written.message() << ": events for TensorBoard are dropped while it is so; metrics.jsonl has all "
                   << "scalars, and `dfrun export` makes events of them";
}

}  // namespace dfrun
