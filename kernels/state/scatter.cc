#include "kernels/state/scatter.h"

#include <algorithm>
#include <utility>

#include "kernels/math/elementwise/elementwise.h"
#include "kernels/state/row_indices.h"
#include "src/base/integers.h"
#include "src/base/stream_store.h"

namespace dfrun {

Status ScatterKernel::Compute(OpContext& ctx) {
  DF_ASSIGN(Variable* const variable, VariableInput(ctx, 0));
  const Tensor& indices = ctx.input(1);
  const Tensor& updates = ctx.input(2);
  const VariableLocks locks({&variable, 1});
  DF_TRY(locks.MakeWritable({&variable, 1}, updates.dtype(), ctx.device()));
  DF_ASSIGN(CoordinatePlan plan, Plan(indices.shape(), updates.shape(), *variable));
  const bool one_for_all = indices_ == ScatterIndices::kRows && updates.shape().rank() == 0;
  DF_TRY(Scatter(ctx, {indices, updates, std::move(plan), one_for_all}, *variable));
  if (ctx.num_outputs() > 0) ctx.SetOutputRef(0, variable);
  return Status();
}

Result<CoordinatePlan> ScatterKernel::Plan(const Shape& indices, const Shape& updates, const Variable& variable) const {
  const Shape& shape = variable.value().shape();
  CoordinatePlan plan;
  if (indices_ == ScatterIndices::kRows) {
    if (shape.rank() == 0) return InvalidArgument("the variable '", variable.name(), "' is a scalar: it has no rows");
    plan.count = indices.num_elements();
    plan.row = shape[0] == 0 ? 0 : shape.num_elements() / shape[0];
    plan.sizes = {shape[0]};
    plan.prefix.assign(indices.dims().begin(), indices.dims().end());
    if (updates.rank() == 0) return plan;
  } else {
    DF_ASSIGN(plan, CoordinatePlan::OfUpdates(indices, updates, shape));
  }
  const std::vector<int64_t> wanted = plan.SliceDims(shape);
  const auto given = updates.dims();
  if (std::equal(wanted.begin(), wanted.end(), given.begin(), given.end())) return plan;
  return InvalidArgument("updates of shape ", updates, " do not fit the slices at indices of shape ", indices,
                         " of the variable '", variable.name(), "' of shape ", shape, ": they must have shape ",
                         PartialShape(wanted));
}

Result<std::vector<int64_t>> ScatterByLoop::Slices(const Request& request, const Shape& variable) const {
  if (indices() == ScatterIndices::kRows) return ReadRowIndices(request.indices, variable[0]);
  DF_ASSIGN(CoordinateSlices named, ReadSlices(request.plan, request.indices, variable, bad_indices()));
  return std::move(named.slices);
}

// Bytes of the slices to come that are prefetched: as much as the first-level cache can spare.
constexpr size_t kMaxAhead = 4096;

// Threads take ranges of columns, so that the order of updates of an element is that of the indices.
Status ScatterByLoop::Scatter(OpContext& ctx, const Request& request, Variable& variable) const {
  DF_ASSIGN(const std::vector<int64_t> slices, Slices(request, variable.value().shape()));
  const Tensor& updates = request.updates;
  if (const char* refusal = loop_.refusal(updates.raw(), updates.num_elements()); refusal != nullptr) {
    return InvalidArgument("updating the variable '", variable.name(), "': ", refusal);
  }
  const int64_t row = request.plan.row;
  const auto count = static_cast<int64_t>(slices.size());
  constexpr int64_t kMinColumns = 64;
  constexpr int64_t kAhead = 2;  // slices: the processor cannot guess where the next one is
  const int64_t enough = std::max(kMinColumns, kElementBlock / std::max<int64_t>(1, count));
  const int64_t even = CeilDiv<int64_t>(row, ctx.pool().num_threads());  // more passes over the indices gain nothing
  void* const data = variable.mutable_value().raw();
  const auto slice = [&](int64_t s, int64_t begin) {
    return At(data, slices[static_cast<size_t>(s)] * row + begin, loop_.element_size);
  };
  ctx.pool().ParallelFor(count == 0 ? 0 : row, std::max(enough, even), [&](int64_t begin, int64_t end) {
    const auto bytes = static_cast<size_t>(end - begin) * loop_.element_size;
    for (int64_t s = 0; s < count; ++s) {
      if (s + kAhead < count && slices[static_cast<size_t>(s + kAhead)] != CoordinateSlices::kNowhere)
        PrefetchLines(slice(s + kAhead, begin), std::min(bytes, kMaxAhead));
      if (slices[static_cast<size_t>(s)] == CoordinateSlices::kNowhere) continue;
      const int64_t from = request.one_for_all ? 0 : s * row + begin;
      loop_.run(slice(s, begin), At(updates.raw(), from, loop_.element_size), end - begin, request.one_for_all);
    }
  });
  return Status();
}

}  // namespace dfrun
