// Fills memory from a distribution, on any number of threads with the same result.
#ifndef DFRUN_KERNELS_RANDOM_FILL_RANDOM_H_
#define DFRUN_KERNELS_RANDOM_FILL_RANDOM_H_

#include <algorithm>

#include "kernels/random/philox.h"
#include "src/base/threads.h"

namespace dfrun {

// values[0..n): group i is made from the blocks that begin i * kBlocks after the generator's place.
template <class Distribution, class T>
void FillRandom(ThreadPool& pool, const Philox& generator, const Distribution& distribution, T* values, int64_t n) {
  constexpr int kGroup = Distribution::kGroup;
  constexpr int64_t kGroupsPerBlock = 1024;  // some 10 us of work
  const int64_t groups = (n + kGroup - 1) / kGroup;
  pool.ParallelFor(groups, kGroupsPerBlock, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Philox start = generator;
      start.Skip(static_cast<uint64_t>(i * Distribution::kBlocks));
      T group[kGroup];
      distribution(start, group);
      std::copy_n(group, std::min<int64_t>(kGroup, n - i * kGroup), values + i * kGroup);
    }
  });
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_RANDOM_FILL_RANDOM_H_
