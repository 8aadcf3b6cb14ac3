#include "kernels/nn/rnn/lstm_sizes.h"

#include <array>

namespace dfrun::lstm {

Status CheckShape(const OpContext& ctx, int i, const Shape& shape) {
  if (ctx.input(i).shape() == shape) return Status();
  return InvalidArgument("input ", i, " has shape ", ctx.input(i).shape(), ", but the others ask for ", shape);
}

Result<Sizes> CheckInputs(const OpContext& ctx, int first, bool over_time, bool use_peephole) {
  const Shape& x = ctx.input(first).shape();
  const Shape& cs_prev = ctx.input(first + 1).shape();
  if (x.rank() != (over_time ? 3 : 2)) {
    return InvalidArgument("x has shape ", x, ", but must be ",
                           over_time ? "[time, batch, inputs]" : "[batch, inputs]");
  }
  if (cs_prev.rank() != 2) return InvalidArgument("cs_prev has shape ", cs_prev, ", but must be [batch, cells]");
  const int lead = over_time ? 1 : 0;
  Sizes s{1, over_time ? x[0] : 1, x[lead], x[lead + 1], cs_prev[1]};
  if (over_time) {
    if (ctx.input(0).shape().rank() != 0) {
      return InvalidArgument("seq_len_max has shape ", ctx.input(0).shape(), ", but must be a scalar");
    }
    s.steps = ctx.input(0).scalar<int64_t>();
    if (s.steps < 0 || s.steps > s.time) {
      return InvalidArgument("seq_len_max is ", s.steps, ", but x of shape ", x, " has ", s.time, " steps");
    }
  }
  constexpr int64_t kMax = INT64_MAX / 8;
  int64_t rows = 0;
  if (s.cells > kMax || s.inputs > kMax || __builtin_mul_overflow(s.time, s.batch, &rows)) {
    return InvalidArgument("x of shape ", x, " and a cell of ", s.cells, " units are too large");
  }
  for (int i : {1, 2}) DF_TRY(CheckShape(ctx, first + i, Shape({s.batch, s.cells})));
  const std::array<int64_t, 2> w{s.inputs + s.cells, 4 * s.cells};
  DF_ASSIGN(const Shape w_shape, Shape::Create(w));
  DF_TRY(CheckShape(ctx, first + 3, w_shape));
  for (int i : {4, 5, 6}) {
    if (over_time || use_peephole) DF_TRY(CheckShape(ctx, first + i, Shape({s.cells})));
  }
  DF_TRY(CheckShape(ctx, first + 7, Shape({4 * s.cells})));
  return s;
}

Result<Shape> StateShape(const Sizes& sizes, bool over_time) {
  const std::array<int64_t, 3> dims{sizes.time, sizes.batch, sizes.cells};
  return Shape::Create(std::span<const int64_t>(dims).subspan(over_time ? 0 : 1));
}

}  // namespace dfrun::lstm
