// The turns of the updates on one device by replicas that run for themselves: one replica at a time makes its updates.
//
// In turn, as a bound of 0 steps asks for it, the shares are applied in their order, those of a step after all replicas
// have read the variables for that step. Else a replica has its turn when it asks for it and none has it.
#ifndef DFRUN_KERNELS_SHARES_UPDATE_TURNS_H_
#define DFRUN_KERNELS_SHARES_UPDATE_TURNS_H_

#include <cstdint>
#include <string>
#include <utility>

#include "kernels/queues/async_wait_queue.h"
#include "kernels/shares/share_token.h"

namespace dfrun {

// Thread safety: all methods from any thread.
// Blocks: no thread.
class UpdateTurns final : public AsyncWaitQueue {
 public:
  explicit UpdateTurns(std::string name) : name_(std::move(name)) {}

  // Begins a period at share `first_share`. `in_turn`: the shares of so many replicas are applied in their order.
  void Open(int64_t first_share, int64_t replicas, bool in_turn) EXCLUDES(mu_);
  // Counts a replica that has read the variables for the step of its token.
  void CountReads(const ShareToken& token) EXCLUDES(mu_);
  // Submits a call that ends when the token has its turn. One without a share has it at once.
  void Begin(OpContext& ctx, Callback done, const ShareToken& token, int64_t replica);
  void End(const ShareToken& token) EXCLUDES(mu_);

  std::string DebugString() const override { return "the turns of updates '" + name_ + "'"; }

 private:
  class Turn;
  Progress Serve(WaitingCall& waiting_call) override REQUIRES(mu_);
  bool MayBegin(const ShareToken& token) const REQUIRES(mu_);

  const std::string name_;
  bool in_turn_ GUARDED_BY(mu_) = false;
  int64_t replicas_ GUARDED_BY(mu_) = 1;
  bool is_held_ GUARDED_BY(mu_) = false;
  int64_t next_ GUARDED_BY(mu_) = 0;   // in turn: the share to be applied
  int64_t reads_ GUARDED_BY(mu_) = 0;  // in turn: replicas that have read, counted as shares from the job's begin on
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_SHARES_UPDATE_TURNS_H_
