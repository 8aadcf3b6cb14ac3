#include "kernels/shares/share_inbox.h"

#include <memory>

namespace dfrun {

class ShareInbox::Taking final : public WaitingCall {
 public:
  Taking(OpContext& ctx, Callback done, int64_t shares) : WaitingCall(ctx, done), shares_(shares) {}
  int64_t shares() const { return shares_; }
  void Give(std::map<int64_t, Values> taken) { taken_ = std::move(taken); }

 private:
  Status Deliver() override {
    int share = 0;
    for (auto& [number, values] : taken_) {
      if (static_cast<int64_t>(values.size()) * shares_ != ctx().num_outputs())
        return Internal(values.size(), " values of a share, of which ", ctx().num_outputs(), " outputs are to be made");
      for (size_t i = 0; i < values.size(); ++i)
        ctx().SetOutput(static_cast<int>(i) * static_cast<int>(shares_) + share, std::move(values[i]));
      ++share;
    }
    taken_.clear();
    return Status();
  }

  const int64_t shares_;
  std::map<int64_t, Values> taken_;
};

void ShareInbox::Open() {
  MutexLock lock(mu_);
  steps_.clear();
  is_closed_ = false;
}

void ShareInbox::Close() {
  Finished finished;
  MutexLock lock(mu_);
  is_closed_ = true;
  ServeLines(finished);
}

void ShareInbox::Put(const ShareToken& token, std::vector<Tensor> values) {
  if (!token.is_given()) return;
  Finished finished;
  MutexLock lock(mu_);
  steps_[token.step][token.share] = std::move(values);
  ServeLines(finished);
}

void ShareInbox::TakeStep(OpContext& ctx, Callback done, int64_t shares) {
  Submit(std::make_unique<Taking>(ctx, done, shares), 0);
}

AsyncWaitQueue::Progress ShareInbox::Serve(WaitingCall& waiting_call) {
  auto& taking = static_cast<Taking&>(waiting_call);
  if (is_closed_) {
    if (!taking.Claim()) return Progress::kGone;
    taking.set_status(FailedPrecondition("the replicas have ended"));
    return Progress::kEnds;
  }
  const auto first = steps_.begin();
  if (first == steps_.end() || static_cast<int64_t>(first->second.size()) < taking.shares()) return Progress::kWaits;
  if (!taking.Claim()) return Progress::kGone;
  taking.Give(std::move(first->second));
  steps_.erase(first);
  return Progress::kEnds;
}

}  // namespace dfrun
