// Many products of one shape over the pool.
#ifndef DFRUN_KERNELS_MATRIX_BATCH_GEMM_H_
#define DFRUN_KERNELS_MATRIX_BATCH_GEMM_H_

#include <algorithm>
#include <vector>

#include "kernels/gemm/gemm.h"
#include "kernels/gemm/grid.h"

namespace dfrun {

// The work of a block: about 20 us of products.
inline constexpr int64_t kBatchBlockWork = int64_t{1} << 21;

// Calls run(i, pool) for each of `products` products of shape `s`, each of which writes its own part of the output.
// Large products are split themselves; of small ones each thread takes some. The first error in order comes back.
template <class Run>
Status RunBatch(const GemmShape& s, int64_t products, ThreadPool& pool, Run&& run) {
  if (GridOfShape(s).count() > 1) {
    for (int64_t i = 0; i < products; ++i) DF_TRY(run(i, pool));
    return Status();
  }
  const int64_t block = std::max<int64_t>(1, kBatchBlockWork / (std::min(s.work(), kBatchBlockWork) + 1));
  std::vector<Status> statuses(static_cast<size_t>((products + block - 1) / block));
  pool.ParallelFor(products, block, [&](int64_t begin, int64_t end) {
    InlineThreadPool inline_pool;
    Status& status = statuses[static_cast<size_t>(begin / block)];
    for (int64_t i = begin; i < end && status.ok(); ++i) status = run(i, inline_pool);
  });
  for (Status& status : statuses) DF_TRY(std::move(status));
  return Status();
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_BATCH_GEMM_H_
