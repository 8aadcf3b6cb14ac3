// Derives the seeds of random ops.
#ifndef DFRUN_SRC_SPEC_SEED_H_
#define DFRUN_SRC_SPEC_SEED_H_

#include <cstdint>
#include <string_view>

namespace dfrun {

// The attrs `seed` and `seed2` of a random op, neither of them 0.
struct OpSeeds {
  int64_t seed = 0;
  int64_t seed2 = 0;
};

// Hashes the spec's seed and the node's name. The result is the same on every machine and in every version.
OpSeeds SeedsOf(int64_t spec_seed, std::string_view node);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_SEED_H_
