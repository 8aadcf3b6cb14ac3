// The order in which the samples of a data set are used: an endless stream of epochs, each a permutation fixed by seed
// and epoch alone, so that any rank can read any part of it and a restored position means the same samples.
#ifndef DFRUN_KERNELS_IO_SAMPLE_ORDER_H_
#define DFRUN_KERNELS_IO_SAMPLE_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "src/base/mutex.h"

namespace dfrun {

// Thread safety: all methods from any thread.
class SampleOrder {
 public:
  // `samples` > 0. `buffer` > 0: shuffled as through a buffer of so many samples, each drawn sample replaced by
  // the next of the file, so that the files are read nearly in order; 0: any order is as likely.
  SampleOrder(int64_t samples, bool shuffle, uint64_t seed, int64_t buffer = 0)
      : samples_(samples), shuffle_(shuffle), seed_(seed), buffer_(buffer) {}

  // The row of the data set at `position` >= 0 of the stream.
  int64_t RowAt(int64_t position);
  // The rows from `position` on.
  void RowsFrom(int64_t position, std::span<int64_t> rows) EXCLUDES(mu_);

  // The epoch after that of `position`, for one caller to Draw() before it is needed; nothing for all others.
  std::optional<int64_t> EpochToDraw(int64_t position) EXCLUDES(mu_);
  void Draw(int64_t epoch) EXCLUDES(mu_);

 private:
  using Permutation = std::vector<int64_t>;

  Permutation Drawn(int64_t epoch) const;
  const Permutation& PermutationOf(int64_t epoch) REQUIRES(mu_);
  const Permutation& Keep(int64_t epoch, Permutation permutation) REQUIRES(mu_);

  const int64_t samples_;
  const bool shuffle_;
  const uint64_t seed_;
  const int64_t buffer_;
  Mutex mu_;
  std::map<int64_t, Permutation> permutations_ GUARDED_BY(mu_);  // orders of the newest epochs asked for
  int64_t to_draw_ GUARDED_BY(mu_) = 0;                          // the newest epoch that EpochToDraw() gave
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_SAMPLE_ORDER_H_
