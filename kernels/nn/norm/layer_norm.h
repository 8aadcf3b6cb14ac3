// The rows that layer normalisation works on, with the checks of its inputs, on any device.
#ifndef DFRUN_KERNELS_NN_NORM_LAYER_NORM_H_
#define DFRUN_KERNELS_NN_NORM_LAYER_NORM_H_

#include <initializer_list>

#include "src/framework/kernel/op_context.h"
#include "src/framework/op/inference.h"

namespace dfrun {

// A tensor as rows that are normalised one by one.
struct NormalisedRows {
  int64_t count;
  int64_t size;
};

// The rows of `x`, each made of its dimensions from `axis` on. InvalidArgument unless inputs `parts` have the shape of
// a row.
inline Result<NormalisedRows> RowsOf(const Shape& x, int64_t axis, const OpContext& ctx,
                                     std::initializer_list<int> parts) {
  DF_ASSIGN(axis, CanonicalAxis(axis, x.rank()));
  const Shape part(x.dims().subspan(static_cast<size_t>(axis)));
  for (int i : parts) {
    if (!(ctx.input(i).shape() == part)) {
      return InvalidArgument("input ", i, " has shape ", ctx.input(i).shape(), ", but what is normalised of x, ", x,
                             ", has ", part);
    }
  }
  const int64_t size = part.num_elements();
  return NormalisedRows{size == 0 ? 0 : x.num_elements() / size, size};
}

// The rows for the gradient's inputs dy, x and scale.
inline Result<NormalisedRows> RowsOfGradient(int64_t axis, const OpContext& ctx) {
  const Shape& dy = ctx.input(0).shape();
  const Shape& x = ctx.input(1).shape();
  if (!(dy == x)) return InvalidArgument("gradients of shape ", dy, " for x of shape ", x);
  return RowsOf(x, axis, ctx, {2});
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_NORM_LAYER_NORM_H_
