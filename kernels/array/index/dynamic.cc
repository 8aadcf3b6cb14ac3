#include "kernels/array/index/dynamic.h"

#include <algorithm>
#include <span>
#include <vector>

namespace dfrun {
namespace {

bool StartsWith(const Shape& shape, const Shape& prefix) {
  return shape.rank() >= prefix.rank() && std::equal(prefix.dims().begin(), prefix.dims().end(), shape.dims().begin());
}

}  // namespace

Shape RowsOf(int64_t first, const Shape& shape, int skip) {
  std::vector<int64_t> dims(shape.dims().begin() + skip, shape.dims().end());
  dims.insert(dims.begin(), first);
  return Shape(std::span<const int64_t>(dims));
}

int64_t RowElements(const Shape& rows) {
  int64_t n = 1;
  for (int d = 1; d < rows.rank(); ++d) n *= rows.dim(d);
  return n;
}

Status CheckStitchedPart(const OpContext& ctx, int i, int n) {
  const Shape& indices = ctx.input(i).shape();
  const Shape& data = ctx.input(n + i).shape();
  if (!StartsWith(data, indices))
    return InvalidArgument("data[", i, "] has shape ", data, ", which does not begin with that of indices[", i, "], ",
                           indices);
  if (!(RowsOf(0, data, indices.rank()) == RowsOf(0, ctx.input(n).shape(), ctx.input(0).shape().rank())))
    return InvalidArgument("the rows of data[", i, "], ", data, ", are not like those of data[0], ",
                           ctx.input(n).shape());
  return Status();
}

Status CheckPartitions(const OpContext& ctx) {
  if (StartsWith(ctx.input(0).shape(), ctx.input(1).shape())) return Status();
  return InvalidArgument("data has shape ", ctx.input(0).shape(), ", which does not begin with that of partitions, ",
                         ctx.input(1).shape());
}

}  // namespace dfrun
