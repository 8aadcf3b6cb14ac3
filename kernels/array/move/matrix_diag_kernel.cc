#include "kernels/array/move/matrix_diag_kernel.h"

#include "kernels/array/int_values.h"

namespace dfrun {

Result<const void*> MatrixDiagBase::Padding(const OpContext& ctx, int i) {
  if (i >= ctx.num_inputs()) return nullptr;
  if (ctx.input(i).shape().rank() == 0) return ctx.input(i).raw();
  return InvalidArgument("padding_value has shape ", ctx.input(i).shape(), ", but must be a scalar");
}

Result<Band> MatrixDiagBase::BandOfPacked(const OpContext& ctx) const {
  const Shape& x = ctx.input(0).shape();
  if (x.rank() == 0) return InvalidArgument("the diagonal must be a vector or of higher rank, not a scalar");
  DiagonalRange range;
  int64_t rows = -1;
  int64_t cols = -1;
  if (ctx.num_inputs() > 1) {
    DF_ASSIGN(range, ReadDiagonalRange(ctx.input(1)));
    DF_ASSIGN(rows, IntScalar(ctx.input(2), "num_rows"));
    DF_ASSIGN(cols, IntScalar(ctx.input(3), "num_cols"));
  }
  if (range.count() > 1 && (x.rank() < 2 || x.dim(x.rank() - 2) != range.count()))
    return InvalidArgument("a diagonal of shape ", x, " does not hold ", range.count(), " diagonals");
  DF_ASSIGN(Band band, BandOfDiagonals(range, x.dim(x.rank() - 1), rows, cols));
  band.align = align_;
  return band;
}

Result<Band> MatrixDiagBase::BandOfMatrices(const OpContext& ctx, const Shape& x, int k) const {
  if (x.rank() < 2) return InvalidArgument("the input must hold matrices, but has shape ", x);
  Band band;
  band.rows = x.dim(x.rank() - 2);
  band.cols = x.dim(x.rank() - 1);
  band.align = align_;
  if (k < ctx.num_inputs()) {
    DF_ASSIGN(band.range, ReadDiagonalRange(ctx.input(k)));
  }
  DF_TRY(CheckDiagonalRange(band.range, band.rows, band.cols));
  return band;
}

namespace {

// A number of diagonals up to `most`; all of them where it is negative.
Result<int64_t> Count(const Tensor& value, int64_t most, std::string_view what) {
  DF_ASSIGN(const int64_t count, IntScalar(value, what));
  if (count > most) return InvalidArgument(what, " must be a number of at most ", most, ", but is ", count);
  return count < 0 ? most : count;
}

}  // namespace

Result<KeptBand> MatrixBandPartBase::ReadKept(const OpContext& ctx) {
  const Shape& x = ctx.input(0).shape();
  if (x.rank() < 2) return InvalidArgument("the input must hold matrices, but has shape ", x);
  KeptBand kept = {x.dim(x.rank() - 2), x.dim(x.rank() - 1), 0, 0};
  DF_ASSIGN(kept.lower, Count(ctx.input(1), kept.rows, "num_lower"));
  DF_ASSIGN(kept.upper, Count(ctx.input(2), kept.cols, "num_upper"));
  return kept;
}

}  // namespace dfrun
