// Sources: the position at which a random kernel's numbers begin, in a sequence of its own or by its inputs.
//
// A source has
//     static constexpr int kInputs;                               // the inputs that name the position
//     explicit Source(KernelSetup& setup);
//     Result<Philox> Begin(OpContext& ctx, uint64_t numbers);     // for this many numbers
// Source: TensorFlow's guarded_philox_random and stateless_random_ops; the same seeds begin at the same position.
#ifndef DFRUN_KERNELS_RANDOM_RANDOM_SOURCE_H_
#define DFRUN_KERNELS_RANDOM_RANDOM_SOURCE_H_

#include "kernels/random/random_state.h"

namespace dfrun {

// Attrs seed and seed2; every call goes on in the sequence.
class StatefulSource {
 public:
  static constexpr int kInputs = 0;
  explicit StatefulSource(KernelSetup& setup) : state_(setup) {}
  Result<Philox> Begin(OpContext& ctx, uint64_t numbers) {
    return state_.Reserve(ctx.step(), numbers * kBlocksPerNumber);
  }

 private:
  RandomState state_;
};

// The generator that two integers of a seed tensor name; InvalidArgument for another shape.
Result<Philox> PhiloxOfSeed(const Tensor& seed);
// The one of a key [1], a counter [2 or more] and the number of an algorithm, which must be Philox (1) or "any" (3).
Result<Philox> PhiloxOfKey(const Tensor& key, const Tensor& counter, const Tensor& algorithm);

// Input kInput is the seed.
template <int kInput>
struct SeedInput {
  static constexpr int kInputs = 1;
  explicit SeedInput(KernelSetup&) {}
  Result<Philox> Begin(OpContext& ctx, uint64_t) const { return PhiloxOfSeed(ctx.input(kInput)); }
};

// Inputs 1 to 3 are key, counter and algorithm.
struct KeyInputs {
  static constexpr int kInputs = 3;
  explicit KeyInputs(KernelSetup&) {}
  Result<Philox> Begin(OpContext& ctx, uint64_t) const { return PhiloxOfKey(ctx.input(1), ctx.input(2), ctx.input(3)); }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_RANDOM_RANDOM_SOURCE_H_
