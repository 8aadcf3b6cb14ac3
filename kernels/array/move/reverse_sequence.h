// SequenceLoops: the rows that change places where each sequence is reversed up to a length of its own.
#ifndef DFRUN_KERNELS_ARRAY_MOVE_REVERSE_SEQUENCE_H_
#define DFRUN_KERNELS_ARRAY_MOVE_REVERSE_SEQUENCE_H_

#include <cstdint>

#include "src/framework/kernel/kernel.h"

namespace dfrun {

// The input as [a, first, b, second, row], where first and second are the batch and the sequence dimension.
struct SequenceLoops {
  int64_t first = 1;
  int64_t b = 1;
  int64_t second = 1;
  int64_t row = 1;
  bool batch_is_first = false;

  // The index in the batch of output row i.
  constexpr int64_t Sequence(int64_t i) const { return batch_is_first ? Outer(i) : i % second; }
  // The row of the input that output row i holds, in a sequence of this length.
  constexpr int64_t Source(int64_t i, int64_t length) const {
    const int64_t at = batch_is_first ? i % second : Outer(i);
    if (at >= length) return i;
    return i + (length - 1 - 2 * at) * (batch_is_first ? 1 : second * b);
  }

 private:
  constexpr int64_t Outer(int64_t i) const { return i / (second * b) % first; }
};

class ReverseSequenceBase : public Kernel {
 public:
  explicit ReverseSequenceBase(KernelSetup& setup);

 protected:
  // InvalidArgument where the dimensions are none of `x`, or the lengths are not one for each sequence.
  Result<SequenceLoops> MakeLoops(const Shape& x, const Shape& lengths) const;
  int64_t LongestOf(const Shape& x) const { return x.dim(static_cast<int>(seq_dim_)); }
  int64_t seq_dim() const { return seq_dim_; }

 private:
  Status Check(const Shape& x, const Shape& lengths) const;

  const int64_t seq_dim_;
  const int64_t batch_dim_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_MOVE_REVERSE_SEQUENCE_H_
