// Fills memory from a distribution, on any number of threads with the same result.
#ifndef DFRUN_KERNELS_RANDOM_FILL_RANDOM_H_
#define DFRUN_KERNELS_RANDOM_FILL_RANDOM_H_

#include <algorithm>

#include "kernels/random/philox.h"
#include "src/base/threads.h"

namespace dfrun {

// Groups [begin, end) of whole groups.
template <class Distribution, class T>
void FillGroups(const Philox& generator, const Distribution& distribution, T* values, int64_t begin, int64_t end) {
  constexpr int kGroup = Distribution::kGroup;
  Philox cursor = generator;
  cursor.Skip(static_cast<uint64_t>(begin * Distribution::kBlocks));
  int64_t i = begin;
  if constexpr (Distribution::kBlocks == 1) {
    constexpr int kLanes = 8;  // more do not fit the registers: nine times slower
    for (; i + kLanes <= end; i += kLanes) {
      const Philox::Lanes<kLanes> words = cursor.NextLanes<kLanes>();
      for (int k = 0; k < kLanes; ++k) {
        distribution({words[0][k], words[1][k], words[2][k], words[3][k]}, values + (i + k) * kGroup);
      }
    }
    for (; i < end; ++i) distribution(cursor.Next(), values + i * kGroup);
  } else {
    for (; i < end; ++i, cursor.Skip(Distribution::kBlocks)) distribution(cursor, values + i * kGroup);
  }
}

// values[0..n): group i is made from the blocks that begin i * kBlocks after the generator's place.
template <class Distribution, class T>
void FillRandom(ThreadPool& pool, const Philox& generator, const Distribution& distribution, T* values, int64_t n) {
  constexpr int kGroup = Distribution::kGroup;
  constexpr int64_t kGroupsPerBlock = 1024;  // some 10 us of work
  const int64_t whole = n / kGroup;
  pool.ParallelFor(whole, kGroupsPerBlock,
                   [&](int64_t begin, int64_t end) { FillGroups(generator, distribution, values, begin, end); });
  if (whole * kGroup == n) return;
  T last[kGroup];
  Philox cursor = generator;
  cursor.Skip(static_cast<uint64_t>(whole * Distribution::kBlocks));
  FillGroups(cursor, distribution, last, 0, 1);
  std::copy_n(last, n - whole * kGroup, values + whole * kGroup);
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_RANDOM_FILL_RANDOM_H_
