// EvenRanges: a number of things, such as rows, divided into parts of nearly equal size.
#ifndef DFRUN_KERNELS_GEMM_EVEN_RANGES_H_
#define DFRUN_KERNELS_GEMM_EVEN_RANGES_H_

#include <algorithm>
#include <cstdint>

namespace dfrun {

struct Range {
  int64_t end() const { return begin + size; }
  int64_t begin;
  int64_t size;
};

// `total` in `count` ranges as even as they can be. Costs no division a range.
class EvenRanges {
 public:
  EvenRanges(int64_t total, int64_t count) : count_(count), least_(total / count), first_long_(count - total % count) {}
  int64_t count() const { return count_; }
  Range At(int64_t i) const {
    return {i * least_ + std::max<int64_t>(0, i - first_long_), least_ + (i >= first_long_ ? 1 : 0)};
  }

 private:
  int64_t count_;
  int64_t least_;
  int64_t first_long_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_GEMM_EVEN_RANGES_H_
