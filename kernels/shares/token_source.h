// An object that hands out the tokens of shares, for which replicas wait without a thread.
#ifndef DFRUN_KERNELS_SHARES_TOKEN_SOURCE_H_
#define DFRUN_KERNELS_SHARES_TOKEN_SOURCE_H_

#include <chrono>
#include <cstdint>

#include "kernels/queues/async_wait_queue.h"
#include "kernels/shares/share_token.h"

namespace dfrun {

// Thread safety: all methods from any thread.
// Blocks: no thread; calls that wait for a token hold none.
class TokenSource : public AsyncWaitQueue {
 public:
  // Submits a call that gives output 0 of `ctx` a token. `taker` takes one share at a time.
  void Take(OpContext& ctx, Callback done, int64_t taker);

 protected:
  using Clock = std::chrono::steady_clock;

  // A call that waits for a token.
  class Taking final : public WaitingCall {
   public:
    Taking(OpContext& ctx, Callback done, int64_t taker) : WaitingCall(ctx, done), taker_(taker) {}
    int64_t taker() const { return taker_; }
    double WaitedSeconds() const { return std::chrono::duration<double>(Clock::now() - begun_).count(); }
    void Give(const ShareToken& token) { token_ = token; }

   private:
    Status Deliver() override;
    const int64_t taker_;
    const Clock::time_point begun_ = Clock::now();
    ShareToken token_;
  };

  // Gives the call a token, or lets it wait.
  virtual Progress ServeTaking(Taking& taking) REQUIRES(mu_) = 0;

 private:
  Progress Serve(WaitingCall& waiting_call) final REQUIRES(mu_) {
    return ServeTaking(static_cast<Taking&>(waiting_call));
  }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_SHARES_TOKEN_SOURCE_H_
