// The values of named shares on a rank, which the step that makes their update takes all at once.
#ifndef DFRUN_KERNELS_SHARES_SHARE_INBOX_H_
#define DFRUN_KERNELS_SHARES_SHARE_INBOX_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernels/queues/async_wait_queue.h"
#include "kernels/shares/share_token.h"

namespace dfrun {

// Thread safety: all methods from any thread.
// Blocks: no thread; a call that waits for shares holds none.
class ShareInbox final : public AsyncWaitQueue {
 public:
  explicit ShareInbox(std::string name) : name_(std::move(name)) {}

  // Begins a period with nothing in it.
  void Open() EXCLUDES(mu_);
  // Ends the wait for shares that do not come any more, with FailedPrecondition, until Open().
  void Close() EXCLUDES(mu_);
  // Puts the values of a share in; those of a token without a share are dropped.
  void Put(const ShareToken& token, std::vector<Tensor> values) EXCLUDES(mu_);
  // Submits a call that takes so many shares of one step, the earliest that has any. Its outputs are, by value, those
  // of each share in the order of the shares.
  void TakeStep(OpContext& ctx, Callback done, int64_t shares);

  std::string DebugString() const override { return "the inbox of shares '" + name_ + "'"; }

 private:
  class Taking;
  using Values = std::vector<Tensor>;
  Progress Serve(WaitingCall& waiting_call) override REQUIRES(mu_);

  const std::string name_;
  bool is_closed_ GUARDED_BY(mu_) = false;
  std::map<int64_t, std::map<int64_t, Values>> steps_ GUARDED_BY(mu_);  // by step, then by share
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_SHARES_SHARE_INBOX_H_
