// The order in which the samples of a data set are used: an endless stream of epochs, each a permutation fixed by seed
// and epoch alone, so that any rank can read any part of it and a restored position means the same samples.
#ifndef DFRUN_KERNELS_IO_SAMPLE_ORDER_H_
#define DFRUN_KERNELS_IO_SAMPLE_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace dfrun {

// Thread safety: one thread at a time.
class SampleOrder {
 public:
  // `samples` > 0. `buffer` > 0: shuffled as through a buffer of so many samples, each drawn sample's place taken by
  // the next of the file, so that reading goes through the files nearly in order; 0: any order is as likely.
  SampleOrder(int64_t samples, bool shuffle, uint64_t seed, int64_t buffer = 0)
      : samples_(samples), shuffle_(shuffle), seed_(seed), buffer_(buffer) {}

  // The row of the data set at place `position` >= 0 of the stream.
  int64_t RowAt(int64_t position);
  // Those from `position` on.
  void RowsFrom(int64_t position, std::span<int64_t> rows);

 private:
  const std::vector<int64_t>& Permutation(int64_t epoch);

  const int64_t samples_;
  const bool shuffle_;
  const uint64_t seed_;
  const int64_t buffer_;
  std::map<int64_t, std::vector<int64_t>> permutations_;  // of the two newest epochs asked for
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_SAMPLE_ORDER_H_
