// The counter of the shares of a training whose replicas run for themselves.
//
// A share is batch / replicas rows of a batch; share k belongs to step k / replicas. A replica takes a token, which
// names a share, and ends it when the updates of its gradients are made. Shares are handed out in their order.
// With a bound of N steps a token of step s waits until all shares of the steps up to s - 1 - N have ended; with N = 0
// the shares of a step go to the replicas in their order.
#ifndef DFRUN_KERNELS_SHARES_SHARE_TOKENS_H_
#define DFRUN_KERNELS_SHARES_SHARE_TOKENS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/shares/token_source.h"

namespace dfrun {

struct ShareOptions {
  int64_t replicas = 1;
  int64_t takers = 1;          // replicas, or loops of them: each takes and ends one share at a time
  int64_t max_staleness = -1;  // in steps; -1: no bound
  int64_t rows = 0;            // rows a share
  int64_t values = 0;          // values that a share reports
  int64_t most_skipped = 0;    // shares behind each other that are not finite, after which no token is given; 0: any
  int64_t log_every = 1;       // steps
  int64_t last_step = 0;       // steps of the job: the last has a line whatever log_every is
};

// The state at the end of a period.
struct EndOfShares {
  int64_t steps = 0;                          // steps that are done, of the whole job
  int64_t position = 0;                       // the sample behind the last share
  std::map<int64_t, int64_t> staleness = {};  // how many shares of the period had which
  int64_t row = 0;                            // the last shares, behind each other, that were not finite
  // The share that ended the period because it was not finite; `found` 0: there was none.
  int64_t found = 0;
  int64_t share = 0;
  int64_t position_of_share = 0;
  int64_t replica = 0;
};

// Thread safety: all methods from any thread.
class ShareTokens final : public TokenSource {
 public:
  explicit ShareTokens(std::string name) : name_(std::move(name)) {}

  // Begins a period: tokens of the steps [first_step, end_step) are handed out, the first of them at `position`, behind
  // so many shares in a row that were not finite. FailedPrecondition while shares of the period before have not ended.
  Status Open(const ShareOptions& options, int64_t first_step, int64_t end_step, int64_t position,
              int64_t not_finite_row) EXCLUDES(mu_);
  // Ends a share with what its replica reports: the number that its gate has found, and then the values.
  Status End(const ShareToken& token, int64_t replica, std::span<const double> report) EXCLUDES(mu_);
  // Takes the lines of logged steps that have ended, with all steps before them, in the order of the steps. Columns:
  // steps that are done; seconds in periods; of the shares so far how many have ended, and how many were not finite;
  // the first number found since the last line; the sum of the staleness so far, and its maximum since the last line;
  // by replica the shares that have ended, then the seconds waited for tokens; by share the values reported. Staleness
  // counts the shares that ended between a share's token and its own end.
  std::vector<std::vector<double>> TakeLines() EXCLUDES(mu_);
  // Whether a share that was not finite has ended the period.
  bool has_stopped() const EXCLUDES(mu_) {
    MutexLock lock(mu_);
    return stop_step_ >= 0;
  }
  // Ends the period. Internal where a share that was handed out has not ended.
  Result<EndOfShares> Close() EXCLUDES(mu_);

  std::string DebugString() const override { return "the shares '" + name_ + "'"; }

 private:
  // A share that was handed out.
  struct Begun {
    int64_t ended_before = 0;  // shares that had ended then
  };
  // A step, some of whose shares have ended.
  struct OpenStep {
    int64_t ended = 0;
    std::vector<double> values;  // in a logged step, by share
  };

  Progress ServeTaking(Taking& taking) override REQUIRES(mu_);
  int64_t NextShare(int64_t replica) const REQUIRES(mu_);
  bool Refuses(int64_t step) const REQUIRES(mu_);
  void Count(const ShareToken& token, int64_t replica, int64_t found) REQUIRES(mu_);
  bool IsLogged(int64_t step) const REQUIRES(mu_) {
    return (step + 1) % options_.log_every == 0 || step + 1 == options_.last_step;
  }
  void EndSteps() REQUIRES(mu_);
  void AddLine(int64_t step, const OpenStep& ended) REQUIRES(mu_);
  double SecondsOpen() const REQUIRES(mu_) {
    return open_s_ + std::chrono::duration<double>(Clock::now() - opened_).count();
  }

  const std::string name_;
  ShareOptions options_ GUARDED_BY(mu_);
  int64_t first_step_ GUARDED_BY(mu_) = 0;
  int64_t end_step_ GUARDED_BY(mu_) = 0;
  int64_t position_ GUARDED_BY(mu_) = 0;
  std::vector<int64_t> taken_ GUARDED_BY(mu_);         // shares of this period, by taker
  int64_t handed_out_ GUARDED_BY(mu_) = 0;             // shares of this period
  int64_t done_steps_ GUARDED_BY(mu_) = 0;             // all shares of all steps before have ended
  int64_t stop_step_ GUARDED_BY(mu_) = -1;             // no token is given for a later step; -1: none stopped
  std::map<int64_t, Begun> begun_ GUARDED_BY(mu_);     // by share
  std::map<int64_t, OpenStep> steps_ GUARDED_BY(mu_);  // steps of which a share has ended
  std::vector<std::vector<double>> lines_of_steps_ GUARDED_BY(mu_);
  EndOfShares stopped_ GUARDED_BY(mu_);
  std::map<int64_t, int64_t> staleness_ GUARDED_BY(mu_);  // shares of this period, by theirs
  int64_t not_finite_row_ GUARDED_BY(mu_) = 0;
  // Sums since the tokens were made.
  int64_t ended_ GUARDED_BY(mu_) = 0;
  int64_t not_finite_ GUARDED_BY(mu_) = 0;
  double open_s_ GUARDED_BY(mu_) = 0;  // length of the periods before this one
  Clock::time_point opened_ GUARDED_BY(mu_);
  double staleness_sum_ GUARDED_BY(mu_) = 0;
  std::vector<double> ended_of_ GUARDED_BY(mu_);     // by taker
  std::vector<double> waited_s_of_ GUARDED_BY(mu_);  // for a token, by taker
  // Since the last line.
  double staleness_max_ GUARDED_BY(mu_) = 0;
  int64_t first_not_finite_ GUARDED_BY(mu_) = 0;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_SHARES_SHARE_TOKENS_H_
