// What a job does about values that are not finite: in the loss of a step, and in variables that are to be saved.
#ifndef DFRUN_SRC_JOB_FINITE_WATCH_H_
#define DFRUN_SRC_JOB_FINITE_WATCH_H_

#include <optional>
#include <string>

#include "src/session/session.h"
#include "src/spec/job_spec.h"
#include "src/training/job_graph.h"

namespace dfrun {

// Thread safety: one thread, between steps. The arguments outlive it; the job's graph has moved into the session.
class FiniteWatch {
 public:
  FiniteWatch(const JobSpec& spec, const JobGraph& parts, Session& session);

  // Of the steps that are asked for at once.
  Session::AtNotFinite at_not_finite() const;
  // After steps, the last of which is `step`. kNotFinite where the job is to stop since that one's loss, or the norm of
  // its gradients, was not finite: the step has been run again, as if it had not been, and the error names the node
  // where it began.
  Status AfterSteps(int64_t step);
  // Steps that were not finite since the last call; nothing where the job stops at the first.
  std::optional<int64_t> TakeCount();
  // "2 of the steps up to 40 ...", for a person; `count` above 0.
  std::string Describe(int64_t step, int64_t count) const;

  // What of the variables that are to be saved is not finite, a sentence; "" where all is.
  Result<std::string> FindInVariables();
  // kNotFinite where the job is to stop since what FindInVariables() found, `found`, must not be saved.
  Status RefuseToSave(int64_t step, const std::string& found) const;

 private:
  // What a second run of the step gave.
  struct Again {
    Status found;  // kNotFinite: which node
    std::vector<Tensor> checked;
  };

  Result<Again> RunAgain(bool optimize);
  Result<Again> RunAgain();
  Status Explain(int64_t step);
  std::string LocationOf(const std::string& node) const;
  std::string InputOf(const std::string& node) const;

  const JobSpec& spec_;
  const JobGraph& parts_;
  Session& session_;
  int64_t seen_ = 0;  // of Session::steps_not_finite(), those that TakeCount() has told
};

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_FINITE_WATCH_H_
