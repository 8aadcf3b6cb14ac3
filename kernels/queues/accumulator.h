// A conditional accumulator: gradients of several workers, summed until there are enough.
#ifndef DFRUN_KERNELS_QUEUES_ACCUMULATOR_H_
#define DFRUN_KERNELS_QUEUES_ACCUMULATOR_H_

#include <memory>
#include <string>
#include <utility>

#include "kernels/queues/async_wait_queue.h"
#include "kernels/queues/gradient_sum.h"

namespace dfrun {

// Thread safety: all methods from any thread.
class Accumulator final : public AsyncWaitQueue {
 public:
  Accumulator(std::string name, AccumulatorType type)
      : name_(std::move(name)), type_(std::move(type)), sum_(NewSum()) {}

  const AccumulatorType& type() const { return type_; }
  // Adds a gradient that was computed at `local_step`, unless the accumulator is at a later one.
  Status Apply(OpContext& ctx, int64_t local_step, const Gradient& gradient) EXCLUDES(mu_);
  // The call of an op that takes the sum or mean of at least `required` gradients, which are then forgotten: the
  // accumulator is at the next step. Ends with `done`.
  void Take(OpContext& ctx, int32_t required, Callback done);
  void SetStep(int64_t step) EXCLUDES(mu_);
  // The parts that a checkpoint keeps, named by PartsOfAccumulator() in accumulator_state.cc. Nothing may wait for a
  // sum.
  Result<std::vector<Tensor>> SaveState(Allocator& allocator) const EXCLUDES(mu_);
  Status RestoreState(std::span<const Tensor> parts, Allocator& allocator) EXCLUDES(mu_);
  int32_t num_accumulated() const EXCLUDES(mu_);
  std::string DebugString() const override;

 private:
  class Taking;

  Progress Serve(WaitingCall& waiting_call) override REQUIRES(mu_);
  std::unique_ptr<GradientSum> NewSum() const { return type_.is_sparse ? NewSparseSum(type_) : NewDenseSum(type_); }

  const std::string name_;
  const AccumulatorType type_;
  std::unique_ptr<GradientSum> sum_ GUARDED_BY(mu_);
  int32_t count_ GUARDED_BY(mu_) = 0;  // gradients in sum_
  int64_t step_ GUARDED_BY(mu_) = 0;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_QUEUES_ACCUMULATOR_H_
