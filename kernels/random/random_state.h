// The position of a stateful random op in its sequence of numbers.
#ifndef DFRUN_KERNELS_RANDOM_RANDOM_STATE_H_
#define DFRUN_KERNELS_RANDOM_RANDOM_STATE_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "kernels/random/philox.h"
#include "src/base/mutex.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

// Blocks that an op reserves for each number that it gives, whatever it uses, as TensorFlow does.
constexpr uint64_t kBlocksPerNumber = 256;

// The number of used blocks of a sequence. A node with the attr `_position` has the object of that name on its device,
// which outlives its plan and which the ops RandomPosition and SetRandomPosition read and write.
class RandomPosition final : public Resource {
 public:
  static Result<RefPtr<RandomPosition>> Named(const std::string& name, Device& device);
  std::string DebugString() const override;

  // Uses `count` blocks in a step; returns how many were used before.
  uint64_t Take(int64_t step_id, uint64_t count) EXCLUDES(mu_);
  // Goes back to where the last step that took some began.
  void Rewind() EXCLUDES(mu_);

  std::atomic<uint64_t> blocks{0};

 private:
  void BeginStep(int64_t step_id) EXCLUDES(mu_);

  std::atomic<int64_t> step_id_{-1};  // that took some last
  Mutex mu_;
  uint64_t at_begin_ GUARDED_BY(mu_) = 0;  // `blocks` when that step began
};

// Reads attrs seed and seed2; both 0: seeds that differ from run to run.
// Thread safety: all methods from any thread; concurrent calls get stretches that do not overlap.
class RandomState {
 public:
  explicit RandomState(KernelSetup& setup);
  // The generator for the next `blocks` blocks, which no other call gets.
  Philox Reserve(const StepContext& step, uint64_t blocks);

 private:
  Philox start_;
  RefPtr<RandomPosition> position_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_RANDOM_RANDOM_STATE_H_
