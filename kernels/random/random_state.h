// The place of a stateful random op in its sequence of numbers.
#ifndef DFRUN_KERNELS_RANDOM_RANDOM_STATE_H_
#define DFRUN_KERNELS_RANDOM_RANDOM_STATE_H_

#include <atomic>
#include <cstdint>

#include "kernels/random/philox.h"
#include "src/framework/kernel.h"

namespace dfrun {

// Blocks that an op reserves for each number that it gives, whatever it uses, as TensorFlow does.
constexpr uint64_t kBlocksPerNumber = 256;

// Reads attrs seed and seed2; both 0: seeds that differ from run to run.
// Thread safety: all methods from any thread; concurrent calls get stretches that do not overlap.
class RandomState {
 public:
  explicit RandomState(KernelSetup& setup);
  // The generator for the next `blocks` blocks, which no other call gets.
  Philox Reserve(uint64_t blocks);

 private:
  Philox start_;
  std::atomic<uint64_t> used_{0};  // blocks
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_RANDOM_RANDOM_STATE_H_
