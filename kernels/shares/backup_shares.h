// The counter of the shares of a synchronous training with backup replicas.
//
// Up to replicas + backup shares are handed out for a step. Of the replicas that offer the gradients of theirs the
// first `replicas` are named: their gradients make the update. Shares that are not offered by then are returned, and
// are the first that the next step hands out; what is computed of them is late, and is dropped. So each share is
// applied once. A training hands out no more shares than it applies in all: in its last step the backup replicas have
// nothing to do.
#ifndef DFRUN_KERNELS_SHARES_BACKUP_SHARES_H_
#define DFRUN_KERNELS_SHARES_BACKUP_SHARES_H_

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/shares/token_source.h"

namespace dfrun {

struct BackupOptions {
  int64_t replicas = 1;  // shares of a step
  int64_t backup = 1;    // replicas beside these
  int64_t rows = 0;      // rows a share; 0: the loss reads no rows
  int64_t steps = 0;     // the training has so many

  int64_t takers() const { return replicas + backup; }
};

// The shares that make a step's update, in the order in which they were offered.
struct NamedShare {
  int64_t position = 0;
  int64_t replica = 0;
  int64_t found = 0;  // the number of the value that the replica found not to be finite; 0: none
};

// Thread safety: all methods from any thread.
class BackupShares final : public TokenSource {
 public:
  explicit BackupShares(std::string name) : name_(std::move(name)) {}

  // Begins a period of the steps [first_step, end_step). `position`: the first row that was never handed out;
  // `returned`: positions of shares to be handed out before that. FailedPrecondition where a period is open.
  Status Open(const BackupOptions& options, int64_t first_step, int64_t end_step, int64_t position,
              std::span<const int64_t> returned) EXCLUDES(mu_);
  // Offers the gradients of a share. Returns the token where it is named; one without a share where it is late.
  ShareToken Offer(const ShareToken& token, int64_t replica, int64_t found) EXCLUDES(mu_);
  // Ends the step whose update has been made by the shares named. FailedPrecondition where there are too few.
  Status EndStep() EXCLUDES(mu_);
  // The shares that the last step that has ended was made with.
  std::vector<NamedShare> last_named() const EXCLUDES(mu_);
  // Sums since the counter was made, by replica: shares named, late ones, seconds waited for tokens. Behind each other.
  std::vector<double> Use() const EXCLUDES(mu_);
  struct Rest {
    int64_t position = 0;
    std::vector<int64_t> returned;  // in their order; at most replicas + backup
  };
  // Ends the period: who waits gets no share, and what was handed out for a step that has not ended is returned.
  Rest Close() EXCLUDES(mu_);

  std::string DebugString() const override { return "the shares '" + name_ + "'"; }

 private:
  Progress ServeTaking(Taking& taking) override REQUIRES(mu_);
  bool MayTake(int64_t taker) const REQUIRES(mu_);
  bool HasShare() const REQUIRES(mu_) { return !returned_.empty() || new_left_ > 0; }
  int64_t NextShare() REQUIRES(mu_);
  int64_t rows() const REQUIRES(mu_) { return options_.rows > 0 ? options_.rows : 1; }

  const std::string name_;
  BackupOptions options_ GUARDED_BY(mu_);
  int64_t step_ GUARDED_BY(mu_) = 0;            // the step that is open
  int64_t end_step_ GUARDED_BY(mu_) = 0;        // no token is given for it
  int64_t position_ GUARDED_BY(mu_) = 0;        // the next share that was never handed out begins here
  int64_t new_left_ GUARDED_BY(mu_) = 0;        // the training needs so many more of these
  std::set<int64_t> returned_ GUARDED_BY(mu_);  // positions
  std::set<int64_t> in_work_ GUARDED_BY(mu_);   // positions of shares handed out for this step, and not offered
  std::vector<NamedShare> named_ GUARDED_BY(mu_);
  std::vector<NamedShare> last_named_ GUARDED_BY(mu_);
  std::vector<bool> has_taken_ GUARDED_BY(mu_);  // a share of this step, by taker as the next ones
  std::vector<double> named_of_ GUARDED_BY(mu_);
  std::vector<double> late_of_ GUARDED_BY(mu_);
  std::vector<double> waited_s_of_ GUARDED_BY(mu_);
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_SHARES_BACKUP_SHARES_H_
