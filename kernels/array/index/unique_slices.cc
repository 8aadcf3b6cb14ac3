#include "kernels/array/index/unique_slices.h"

#include <vector>

#include "kernels/array/int_values.h"

namespace dfrun {

Result<int64_t> UniqueBase::ReadAxis(const OpContext& ctx) {
  const Shape& x = ctx.input(0).shape();
  std::vector<int64_t> axis;
  if (ctx.num_inputs() > 1) {
    DF_ASSIGN(axis, IntVector(ctx.input(1), "the axis"));
  }
  if (axis.size() > 1) return InvalidArgument("there may be one axis, but there are ", axis.size());
  if (axis.empty() && x.rank() != 1) return InvalidArgument("without an axis x must be a vector, but it has shape ", x);
  return CanonicalAxis(axis.empty() ? 0 : axis[0], x.rank());
}

}  // namespace dfrun
