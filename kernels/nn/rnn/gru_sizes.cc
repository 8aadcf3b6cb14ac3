#include "kernels/nn/rnn/gru_sizes.h"

namespace dfrun::gru {

Status CheckShape(const OpContext& ctx, int i, std::array<int64_t, 2> dims, int rank) {
  DF_ASSIGN(const Shape shape, Shape::Create(std::span<const int64_t>(dims).subspan(2 - rank)));
  if (ctx.input(i).shape() == shape) return Status();
  return InvalidArgument("input ", i, " has shape ", ctx.input(i).shape(), ", but the others ask for ", shape);
}

Result<Sizes> CheckInputs(const OpContext& ctx) {
  const Shape& x = ctx.input(0).shape();
  const Shape& h_prev = ctx.input(1).shape();
  if (x.rank() != 2 || h_prev.rank() != 2) {
    return InvalidArgument("x and h_prev have shapes ", x, " and ", h_prev, ", but must be matrices");
  }
  const Sizes s{x[0], x[1], h_prev[1]};
  constexpr int64_t kMax = INT64_MAX / 8;
  if (s.inputs > kMax || s.cells > kMax) return InvalidArgument("a cell of ", s.cells, " units is too large");
  DF_TRY(CheckShape(ctx, 1, {s.batch, s.cells}, 2));
  DF_TRY(CheckShape(ctx, 2, {s.inputs + s.cells, 2 * s.cells}, 2));
  DF_TRY(CheckShape(ctx, 3, {s.inputs + s.cells, s.cells}, 2));
  DF_TRY(CheckShape(ctx, 4, {0, 2 * s.cells}, 1));
  DF_TRY(CheckShape(ctx, 5, {0, s.cells}, 1));
  return s;
}

}  // namespace dfrun::gru
