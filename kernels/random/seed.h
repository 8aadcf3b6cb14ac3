// The key and counter that a pair of integers stands for in the stateless random ops.
#ifndef DFRUN_KERNELS_RANDOM_SEED_H_
#define DFRUN_KERNELS_RANDOM_SEED_H_

#include <cstdint>

#include "src/framework/values/tensor.h"

namespace dfrun {

// The lower half of the counter is 0.
struct RandomKey {
  uint64_t key;
  uint64_t counter_high;
};

// `seed`: two integers. They are mixed, so that either may be weak. InvalidArgument for another shape.
Result<RandomKey> RandomKeyOf(const Tensor& seed);

// Numbers of the algorithms as the ops' `alg` input has them.
constexpr int32_t kAlgorithmPhilox = 1;
constexpr int32_t kAlgorithmAny = 3;

}  // namespace dfrun

#endif  // DFRUN_KERNELS_RANDOM_SEED_H_
