#include "kernels/state/scatter.h"

#include <algorithm>

#include "kernels/math/elementwise.h"
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
  DF_ASSIGN(const CoordinateSlices named, Read(indices, updates, *variable));
  DF_TRY(CheckUpdates(*variable, named, indices, updates));
  if (const char* refusal = loop_.refusal(updates.raw(), updates.num_elements()); refusal != nullptr) {
    return InvalidArgument("updating the variable '", variable->name(), "': ", refusal);
  }
  Scatter(named, updates, variable->mutable_value(), ctx.pool());
  if (ctx.num_outputs() > 0) ctx.SetOutputRef(0, variable);
  return Status();
}

Status ScatterKernel::CheckUpdates(const Variable& variable, const CoordinateSlices& named, const Tensor& indices,
                                   const Tensor& updates) const {
  if (updates.shape().rank() == 0 && AllowsScalarUpdates()) return Status();
  const Shape& shape = variable.value().shape();
  const int named_dims = AllowsScalarUpdates() ? 1 : static_cast<int>(indices.shape().dim(indices.shape().rank() - 1));
  std::vector<int64_t> wanted = named.prefix;
  wanted.insert(wanted.end(), shape.dims().begin() + named_dims, shape.dims().end());
  const auto given = updates.shape().dims();
  if (std::equal(wanted.begin(), wanted.end(), given.begin(), given.end())) return Status();
  return InvalidArgument("updates of shape ", updates.shape(), " do not fit the slices at indices of shape ",
                         indices.shape(), " of the variable '", variable.name(), "' of shape ", shape,
                         ": they must have shape ", PartialShape(wanted));
}

// Of the slices to come, as much as the first-level cache can spare is asked for.
constexpr size_t kMostAhead = 4096;

// Threads take ranges of columns, so that the order of updates of an element is that of the indices.
void ScatterKernel::Scatter(const CoordinateSlices& named, const Tensor& updates, Tensor& variable,
                            ThreadPool& pool) const {
  const bool one_for_all = updates.shape().rank() == 0;
  const auto count = static_cast<int64_t>(named.slices.size());
  constexpr int64_t kLeastColumns = 64;
  constexpr int64_t kAhead = 2;  // slices: the processor cannot guess where the next one is
  const int64_t enough = std::max(kLeastColumns, kElementBlock / std::max<int64_t>(1, count));
  const int64_t even = CeilDiv<int64_t>(named.row, pool.num_threads());  // more passes over the indices gain nothing
  const auto slice = [&](int64_t s, int64_t begin) {
    return At(variable.raw(), named.slices[static_cast<size_t>(s)] * named.row + begin, loop_.element_size);
  };
  pool.ParallelFor(count == 0 ? 0 : named.row, std::max(enough, even), [&](int64_t begin, int64_t end) {
    const auto bytes = static_cast<size_t>(end - begin) * loop_.element_size;
    for (int64_t s = 0; s < count; ++s) {
      if (s + kAhead < count && named.slices[static_cast<size_t>(s + kAhead)] != CoordinateSlices::kNowhere)
        PrefetchLines(slice(s + kAhead, begin), std::min(bytes, kMostAhead));
      if (named.slices[static_cast<size_t>(s)] == CoordinateSlices::kNowhere) continue;
      const int64_t from = one_for_all ? 0 : s * named.row + begin;
      loop_.run(slice(s, begin), At(updates.raw(), from, loop_.element_size), end - begin, one_for_all);
    }
  });
}

Result<CoordinateSlices> RowScatterKernel::Read(const Tensor& indices, const Tensor& /*updates*/,
                                                const Variable& variable) const {
  const Shape& shape = variable.value().shape();
  if (shape.rank() == 0) return InvalidArgument("the variable '", variable.name(), "' is a scalar: it has no rows");
  CoordinateSlices named;
  DF_ASSIGN(named.slices, ReadRowIndices(indices, shape[0]));
  named.row = shape[0] == 0 ? 0 : shape.num_elements() / shape[0];
  named.prefix.assign(indices.shape().dims().begin(), indices.shape().dims().end());
  return named;
}

Result<CoordinateSlices> SliceScatterKernel::Read(const Tensor& indices, const Tensor& updates,
                                                  const Variable& variable) const {
  return ReadCoordinatesOfUpdates(indices, updates, variable.value().shape(), bad_indices_);
}

}  // namespace dfrun
