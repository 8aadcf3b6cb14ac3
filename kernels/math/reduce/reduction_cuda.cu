#include "kernels/math/reduce/reduction_cuda.h"

namespace dfrun::cuda {

ReduceGrid ReduceGrid::Of(const ReductionPlan& plan) {
  // Threads that keep a GPU's memory busy, and inputs below which a thread, or a block, is not worth being another's.
  constexpr int64_t kThreads = 132 * 2048;
  constexpr int64_t kThreadInputs = 32;
  constexpr int64_t kBlockInputs = 8 * kBlockThreads;
  constexpr int64_t kMaxChunks = 1024;
  constexpr int64_t kChunkMultiple = kVectorBytes;  // chunks of aligned rows begin where whole vectors do
  ReduceGrid grid;
  grid.plan = plan;
  grid.outputs = plan.num_outputs();
  const int64_t reduced = plan.num_reduced();
  grid.by_block = plan.row_is_reduced && reduced > kThreadInputs;
  const int64_t threads = grid.outputs * (grid.by_block ? kBlockThreads : 1);
  const int64_t least = grid.by_block ? kBlockInputs : kThreadInputs;
  const int64_t chunks = std::clamp<int64_t>(std::min(kThreads / threads, reduced / least), 1, kMaxChunks);
  grid.chunk = std::max<int64_t>(1, CeilDiv(reduced, chunks));
  if (grid.by_block) grid.chunk = CeilDiv(grid.chunk, kChunkMultiple) * kChunkMultiple;
  grid.chunks = std::max<int64_t>(1, CeilDiv(reduced, grid.chunk));
  return grid;
}

Status ReductionKernel::Compute(OpContext& ctx) {
  const Tensor& x = ctx.input(0);
  DF_ASSIGN(const std::vector<bool> is_reduced, ReadReductionAxes(ctx.input(1), x.shape().rank()));
  ReductionPlan plan;
  Shape shape;
  DF_TRY(PlanReduction(x.shape(), is_reduced, keep_dims_, plan, shape));
  Tensor* y = nullptr;
  DF_TRY(ctx.AllocateOutput(0, shape, &y));
  return launch_(ctx, plan, x.raw(), y->raw());
}

}  // namespace dfrun::cuda
