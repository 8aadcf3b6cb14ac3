#include "kernels/math/segment/segment_checks.h"

#include <algorithm>
#include <limits>

namespace dfrun {
namespace {

Status CheckVector(const Shape& shape, const char* what) {
  return shape.rank() == 1 ? Status() : InvalidArgument(what, " has shape ", shape, ", but must be a vector");
}

Status CheckIdsOfIndices(const OpContext& ctx) {
  DF_TRY(CheckVector(ctx.input(1).shape(), "indices"));
  DF_TRY(CheckVector(ctx.input(2).shape(), "segment_ids"));
  return Status();
}

Status CheckSameCount(const OpContext& ctx) {
  if (ctx.input(1).num_elements() == ctx.input(2).num_elements()) return Status();
  return InvalidArgument("there must be a segment id for each index of ", ctx.input(1).shape(), ", not ",
                         ctx.input(2).shape());
}

}  // namespace

Status CheckSegments(const OpContext& ctx) {
  const Shape& data = ctx.input(0).shape();
  const Shape& ids = ctx.input(1).shape();
  DF_TRY(CheckVector(ids, "segment_ids"));
  if (data.rank() > 0 && data.dim(0) == ids.dim(0)) return Status();
  return InvalidArgument("there must be a segment id for each row of data ", data, ", not ", ids);
}

Status CheckUnsortedSegments(const OpContext& ctx) {
  const Shape& data = ctx.input(0).shape();
  const Shape& ids = ctx.input(1).shape();
  const bool fits = ids.rank() <= data.rank() && std::equal(ids.dims().begin(), ids.dims().end(), data.dims().begin());
  return fits ? Status() : InvalidArgument("data ", data, " does not begin with the shape of segment_ids, ", ids);
}

Status CheckSparseSegments(const OpContext& ctx) {
  DF_TRY(CheckIdsOfIndices(ctx));
  if (ctx.input(0).shape().rank() == 0) return InvalidArgument("data must have rows, but is a scalar");
  return CheckSameCount(ctx);
}

Status CheckSparseSegmentGrad(const OpContext& ctx, int64_t rows) {
  DF_TRY(CheckIdsOfIndices(ctx));
  if (ctx.input(0).shape().rank() == 0) return InvalidArgument("grad must have rows, but is a scalar");
  DF_TRY(CheckSameCount(ctx));
  if (rows >= 0) return Status();
  return InvalidArgument("the number of rows is ", rows, ", but must not be negative");
}

Result<int64_t> SegmentsUpTo(int64_t last) {
  if (last < std::numeric_limits<int64_t>::max()) return last + 1;
  return InvalidArgument("segment id ", last, " is too large");
}

}  // namespace dfrun
