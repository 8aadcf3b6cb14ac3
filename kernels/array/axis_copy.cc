#include "kernels/array/axis_copy.h"

#include "kernels/array/strided_copy.h"

namespace dfrun {

void CopyIntoAxis(ThreadPool& pool, const Tensor& part, Tensor& whole, const AxisSplit& split, int64_t whole_size,
                  int64_t begin, int64_t size) {
  const int64_t run = size * split.inner;
  StridedCopy(pool, whole.dtype(), part.raw(), ElementAt(whole.raw(), whole.dtype(), begin * split.inner),
              {{split.outer, run, whole_size * split.inner}, {run, 1, 1}});
}

void CopyFromAxis(ThreadPool& pool, const Tensor& whole, Tensor& part, const AxisSplit& split, int64_t whole_size,
                  int64_t begin, int64_t size) {
  const int64_t run = size * split.inner;
  StridedCopy(pool, whole.dtype(), ElementAt(whole.raw(), whole.dtype(), begin * split.inner), part.raw(),
              {{split.outer, whole_size * split.inner, run}, {run, 1, 1}});
}

}  // namespace dfrun
