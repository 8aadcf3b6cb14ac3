#include "kernels/shares/update_turns.h"

#include <memory>

namespace dfrun {

class UpdateTurns::Turn final : public WaitingCall {
 public:
  Turn(OpContext& ctx, Callback done, const ShareToken& token) : WaitingCall(ctx, done), token_(token) {}
  const ShareToken& token() const { return token_; }

 private:
  Status Deliver() override {
    ctx().SetOutput(0, Tensor::Scalar<int64_t>(token_.share));
    return Status();
  }
  const ShareToken token_;
};

void UpdateTurns::Open(int64_t first_share, int64_t replicas, bool in_turn) {
  MutexLock lock(mu_);
  in_turn_ = in_turn;
  replicas_ = replicas;
  is_held_ = false;
  next_ = reads_ = first_share;
}

void UpdateTurns::CountReads(const ShareToken& token) {
  if (!token.is_given()) return;
  Finished finished;
  MutexLock lock(mu_);
  ++reads_;
  ServeLines(finished);
}

void UpdateTurns::Begin(OpContext& ctx, Callback done, const ShareToken& token, int64_t replica) {
  Submit(std::make_unique<Turn>(ctx, done, token), static_cast<size_t>(replica));
}

void UpdateTurns::End(const ShareToken& token) {
  if (!token.is_given()) return;
  Finished finished;
  MutexLock lock(mu_);
  is_held_ = false;
  ++next_;
  ServeLines(finished);
}

bool UpdateTurns::MayBegin(const ShareToken& token) const {
  if (!token.is_given()) return true;
  if (!in_turn_) return !is_held_;
  return !is_held_ && token.share == next_ && reads_ >= (token.step + 1) * replicas_;
}

AsyncWaitQueue::Progress UpdateTurns::Serve(WaitingCall& waiting_call) {
  const ShareToken& token = static_cast<Turn&>(waiting_call).token();
  if (!MayBegin(token)) return Progress::kWaits;
  if (!waiting_call.Claim()) return Progress::kGone;
  if (token.is_given()) is_held_ = true;
  return Progress::kEnds;
}

}  // namespace dfrun
