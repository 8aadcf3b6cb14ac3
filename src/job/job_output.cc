#include "src/job/job_output.h"

#include <utility>

#include "src/base/log.h"
#include "src/base/text.h"
#include "src/events/shown_graph.h"
#include "src/events/summaries.h"
#include "src/job/embeddings.h"
#include "src/job/hparams.h"
#include "src/job/kept_spec.h"
#include "src/session/trace/chrome_trace.h"

namespace dfrun {

void JobOutput::ShowGraph(const std::vector<Partition>& partitions) {
  std::vector<const Graph*> graphs;
  for (const Partition& partition : partitions) graphs.push_back(&partition.graph);
  shown_graph_ = ShownGraphDef(graphs);
}

Status JobOutput::Open(const RunDirectory& directory, const std::vector<FingerprintFetch>& fingerprints,
                       JobOutputStart start) {
  const int64_t step = start.facts.from_step;
  DF_ASSIGN(MetricsLog metrics, MetricsLog::Open(directory.metrics(), step, start.evaluations));
  metrics_ = std::make_unique<MetricsLog>(std::move(metrics));
  observers_.insert(observers_.begin(), metrics_.get());
  DF_TRY(OpenStateLog(directory.state(), fingerprints, step));
  DF_ASSIGN(const std::string about_spec, KeepSpec(directory.spec(), spec_));
  if (!about_spec.empty()) TellMessage("warning: " + about_spec);
  start.facts.hparams = HParamsOf(spec_);
  for (const EvalSpec& eval : spec_.job.evals) start.facts.evaluations.push_back(eval.name);
  // Written last: it brings the entry of metrics.jsonl to the disk too.
  DF_ASSIGN(RunRecord record, RunRecord::Begin(directory.record(), start.facts));
  record_ = std::make_unique<RunRecord>(std::move(record));
  if (spec_.job.events) OpenEvents(directory, start);
  return Status();
}

// A log of other steps than the job's must not stay where it was, whether the job goes on with it or not.
Status JobOutput::OpenStateLog(const std::string& path, const std::vector<FingerprintFetch>& fingerprints,
                               int64_t step) {
  if (fingerprints.empty()) return CutStateLog(path, step);
  states_.emplace(fingerprints);
  DF_ASSIGN(StateLog log, StateLog::Open(path, states_->variables(), step));
  state_log_ = std::make_unique<StateLog>(std::move(log));
  observers_.push_back(state_log_.get());
  return Status();
}

void JobOutput::OpenEvents(const RunDirectory& directory, const JobOutputStart& start) {
  events_ = std::make_unique<EventFiles>(directory.events(), spec_.job, start.facts.hparams);
  events_->SetGraph(std::move(shown_graph_));
  if (start.facts.from_step < start.trace_until) {
    std::vector<std::string> files;
    for (int rank = 0; rank < start.facts.ranks; ++rank) files.push_back(TracePath(directory.trace() + "/", rank));
    events_->SetTrace(start.trace_until, std::move(files));
  }
  observers_.push_back(events_.get());
}

void JobOutput::TellMessage(const std::string& text) const {
  for (JobObserver* observer : observers_) observer->OnMessage(text);
}

void JobOutput::TellBegin(int64_t step, int64_t steps) const {
  for (JobObserver* observer : observers_) observer->OnBegin(step, steps);
}

Status JobOutput::TellStep(JobResults results, std::span<const Tensor> fingerprints) {
  if (states_ && !fingerprints.empty()) {
    states_->Take(fingerprints);
    results.state = states_->OfAll();
    results.fingerprints = states_->of_variables();
  }
  return Tell(&JobObserver::OnStep, results);
}

Status JobOutput::Tell(Status (JobObserver::*event)(const JobResults&), const JobResults& results) const {
  for (JobObserver* observer : observers_) DF_TRY((observer->*event)(results));
  return Status();
}

Status JobOutput::TellStaleness(JobResults results, const std::map<int64_t, int64_t>& shares) {
  if (shares.empty()) return Status();
  record_->AddStaleness(shares);
  const Tensor summaries[] = {Tensor::Vector<std::string>({CountsSummary("async/staleness", shares)})};
  results.summaries = summaries;
  return TellSummaries(results);
}

Status JobOutput::TellSave(int64_t step) const {
  for (JobObserver* observer : observers_) DF_TRY(observer->OnSave(step));
  return Status();
}

void JobOutput::End(const Status& status) const {
  record_->End(status);
  for (JobObserver* observer : observers_) observer->OnEnd(status);
}

void JobOutput::WriteShownEmbeddings(Session& session) const {
  if (events_ == nullptr || spec_.job.summaries.embeddings.empty()) return;
  const Status written = WriteEmbeddings(session, spec_, events_->train_directory());
  if (!written.ok()) DF_LOG(kWarning) << "the projector gets no embeddings: " << written.message();
}

}  // namespace dfrun
