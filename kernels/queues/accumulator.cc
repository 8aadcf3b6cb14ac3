#include "kernels/queues/accumulator.h"

namespace dfrun {

class Accumulator::Taking final : public WaitingCall {
 public:
  Taking(OpContext& ctx, Callback done, int32_t required, bool takes_mean)
      : WaitingCall(ctx, done), required_(required), takes_mean_(takes_mean) {}
  int32_t required() const { return required_; }
  void Take(std::unique_ptr<GradientSum> sum, int32_t count) {
    sum_ = std::move(sum);
    count_ = count;
  }

 private:
  Status Deliver() override { return sum_->Give(ctx(), takes_mean_ ? count_ : 0); }

  const int32_t required_;
  const bool takes_mean_;
  std::unique_ptr<GradientSum> sum_;
  int32_t count_ = 0;
};

Status Accumulator::Apply(OpContext& ctx, int64_t local_step, const Gradient& gradient) {
  if (gradient.values.dtype() != type_.dtype || (gradient.indices != nullptr) != type_.is_sparse) {
    return InvalidArgument("a ", gradient.indices == nullptr ? "dense" : "sparse", " gradient of ",
                           gradient.values.dtype(), " cannot be added to ", DebugString());
  }
  Finished finished;
  MutexLock lock(mu_);
  if (local_step < step_) return Status();
  DF_TRY(sum_->Add(ctx, gradient).Annotate(DebugString()));
  ++count_;
  ServeLines(finished);
  return Status();
}

void Accumulator::Take(OpContext& ctx, int32_t required, Callback done) {
  Submit(std::make_unique<Taking>(ctx, done, required, type_.takes_mean), 0);
}

AsyncWaitQueue::Progress Accumulator::Serve(WaitingCall& waiting_call) {
  auto& taking = static_cast<Taking&>(waiting_call);
  if (count_ < taking.required()) return Progress::kWaits;
  if (!waiting_call.Claim()) return Progress::kGone;
  taking.Take(std::exchange(sum_, NewSum()), std::exchange(count_, 0));
  ++step_;
  return Progress::kEnds;
}

void Accumulator::SetStep(int64_t step) {
  MutexLock lock(mu_);
  step_ = step;
}

int32_t Accumulator::num_accumulated() const {
  MutexLock lock(mu_);
  return count_;
}

std::string Accumulator::DebugString() const {
  return StrCat("the ", type_.is_sparse ? "sparse " : "", "accumulator '", name_, "' of ", type_.dtype, type_.shape);
}

}  // namespace dfrun
