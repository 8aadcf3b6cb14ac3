#include "kernels/array/sort/top_k.h"

#include <limits>

#include "kernels/array/int_values.h"

namespace dfrun {

Result<int64_t> TopKBase::ReadK(const OpContext& ctx) const {
  const Shape& x = ctx.input(0).shape();
  int64_t k = k_;
  if (ctx.num_inputs() > 1) {
    if (ctx.input(1).shape().rank() != 0)
      return InvalidArgument("k has shape ", ctx.input(1).shape(), ", but must be a scalar");
    k = IntValues(ctx.input(1))[0];
  }
  if (x.rank() == 0 || k < 0 || k > x.dim(x.rank() - 1))
    return InvalidArgument("the ", k, " largest entries of the rows of ", x, " are not there");
  const int64_t most = ctx.node().outputs[1].dtype == DType::kInt16 ? std::numeric_limits<int16_t>::max()
                                                                    : std::numeric_limits<int32_t>::max();
  if (x.dim(x.rank() - 1) > most) return InvalidArgument("rows of ", x, " are longer than the indices can say, ", most);
  return k;
}

}  // namespace dfrun
