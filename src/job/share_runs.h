// Runs the steps of replicas that run for themselves: each has a Run of many steps in flight, and takes its shares by
// itself.
//
// Rank 0 asks for as many steps in all as a period has shares, so that each step gets one.
#ifndef DFRUN_SRC_JOB_SHARE_RUNS_H_
#define DFRUN_SRC_JOB_SHARE_RUNS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/job/request_size.h"
#include "src/session/session.h"
#include "src/training/job_graph.h"

namespace dfrun {

// The report of a logged step: the shares of it and of all steps before have ended.
struct ShareLine {
  int64_t step = 0;         // steps that are done
  double seconds = 0;       // since the last line, in periods
  bool is_last = false;     // the last of those that are told at once
  int64_t not_finite = 0;   // shares that were not finite since the last line
  int32_t first_found = 0;  // the number that the gates of the first of them have found
  // The means over the shares, in their order, by JobGraph::step.names.
  std::vector<std::pair<std::string, Tensor>> values;
  // The run's own numbers: async/staleness_mean, async/staleness_max, async/updates_per_s/r, async/waiting/r.
  std::vector<std::pair<std::string, Tensor>> timings;
};

// The end of a period.
struct SharesEnd {
  int64_t steps = 0;     // steps of the whole job that are done
  int32_t found = 0;     // the number of the value by which a share has ended the period; 0: none has
  int64_t share = 0;     // that one
  int64_t position = 0;  // the first row of that share
  int64_t replica = 0;
  int64_t row = 0;                            // the last shares, behind each other, that were not finite
  std::map<int64_t, int64_t> staleness = {};  // how many shares had which
};

// Thread safety: one thread. The arguments outlive it.
class ShareRuns {
 public:
  ShareRuns(const JobGraph& parts, Session& session) : parts_(parts), session_(session) {}

  Status Prepare();
  // By replica, and by its loops.
  const std::vector<Session::Handle>& handles() const { return handles_; }

  struct Hooks {
    std::function<bool()> is_stopping;                     // true: no step is begun that none of its shares has begun
    std::function<Status(const ShareLine& line)> on_line;  // in the order of the steps
  };
  // Runs the steps from `first`, which are done, up to `end`, behind so many shares in a row that were not finite:
  // fewer at a signal, or after a share that is not finite.
  Result<SharesEnd> Run(int64_t first, int64_t end, int64_t row, const Hooks& hooks);

 private:
  struct Loop {
    int64_t asked = 0;  // steps of this period
    RequestSize size;
  };
  // The last line's columns that lines are compared with.
  struct Totals {
    double time_s = 0;
    double ended = 0;
    double not_finite = 0;
    double staleness_sum = 0;
    std::vector<double> ended_of;
    std::vector<double> waited_s_of;
  };

  int64_t replicas() const { return parts_.apart->replicas; }
  // Loops of all replicas.
  int64_t loops() const { return static_cast<int64_t>(handles_.size()); }
  int64_t NextRequest(size_t loop) const;
  Status Begin(size_t loop, int64_t steps);
  Status TakeEnded(size_t loop);
  Status WaitForSome();
  // Ends the period after the step that has begun.
  void CutShort();
  Status TellLines(const Hooks& hooks);
  ShareLine MakeLine(const double* columns);
  Result<SharesEnd> Close();

  const JobGraph& parts_;
  Session& session_;
  std::vector<Session::Handle> handles_;
  Session::Handle open_ = nullptr;
  Session::Handle lines_ = nullptr;
  Session::Handle close_ = nullptr;
  std::vector<Loop> loops_;
  std::vector<std::unique_ptr<PendingStep>> running_;  // by loop; null: none
  int64_t shares_ = 0;                                 // shares of this period
  int64_t asked_ = 0;                                  // steps that were asked for in this period
  bool ends_ = false;                                  // no share is handed out any more
  Totals totals_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_SHARE_RUNS_H_
