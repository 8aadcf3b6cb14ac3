// Event files of a run, for TensorBoard: RUN/events/train has the scalars and summaries of the training, the graph and
// the page of charts, RUN/events/NAME the metrics of the evaluation NAME, RUN/events itself the session with its
// hyperparameters, which is the parent of both.
#ifndef DFRUN_SRC_JOB_EVENT_FILES_H_
#define DFRUN_SRC_JOB_EVENT_FILES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "src/base/json/json_value.h"
#include "src/events/event_writer.h"
#include "src/events/summaries.h"
#include "src/job/job_observer.h"
#include "src/spec/job_spec.h"

namespace dfrun {

// The name of the directory, below that of all events, for an evaluation.
std::string EventDirectoryOf(const std::string& evaluation);

// Removes the event files that stand in `directory` itself.
Status RemoveEventFiles(const std::string& directory);

// Writes new files at each start, and gives events to the system once a logged step, evaluation and summary. A file
// system that refuses them is one warning in the log: events are then dropped, and no method returns an error.
// Thread safety: one thread.
class EventFiles final : public JobObserver {
 public:
  // `directory`: RUN/events. `job` outlives this object. `hparams`: see HParamsOf().
  EventFiles(std::string directory, const JobSpec& job, JsonValue hparams);

  // Before OnBegin(): the graph that is shown, a GraphDef.
  void SetGraph(std::string graph_def) { graph_def_ = std::move(graph_def); }
  // Before OnBegin(): the files that a trace is written to when step `until` has ended.
  void SetTrace(int64_t until, std::vector<std::string> files);

  // The directory of the events of the training.
  const std::string& train_directory() const { return train_.writer.directory(); }

  void OnBegin(int64_t step, int64_t steps) override;
  Status OnStep(const JobResults& results) override;
  Status OnEvaluation(const JobResults& results) override;
  Status OnSummaries(const JobResults& results) override;
  // A session has an end unless it was stopped to go on later.
  void OnEnd(const Status& status) override;

 private:
  // A run of TensorBoard.
  struct Run {
    explicit Run(std::string directory) : writer(std::move(directory)) {}
    EventWriter writer;
    ScalarSummaries scalars;
  };
  Run& RunOf(const std::string& evaluation);
  void AddLayout(const JobResults& results);
  void AddTrace(int64_t step);
  void Flush(EventWriter& writer);

  const std::string directory_;
  const JobSpec& job_;
  const JsonValue hparams_;
  EventWriter session_;
  Run train_;
  std::map<std::string, Run> evaluations_;  // by name
  std::string graph_def_;
  int64_t first_step_ = 1;  // the first step of this start
  int64_t trace_until_ = 0;
  std::vector<std::string> trace_files_;  // empty: none is to be read
  bool has_layout_ = false;
  bool has_warned_ = false;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_EVENT_FILES_H_
