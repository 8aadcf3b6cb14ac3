#include "kernels/nn/rnn/cells_cuda.h"

#include "kernels/math/elementwise/unary_cuda.h"
#include "kernels/math/functions/reducers.h"
#include "kernels/math/reduce/reduction_cuda.h"

namespace dfrun::cuda {
namespace {

// The terms of the sums, [rows, columns]: values, or their products with others.
DF_DEVICE_KERNEL void ColumnTerms(ColumnSums sums, StackedRows by, double* terms) {
  const int64_t i = GlobalThreadId();
  if (i >= sums.rows * sums.columns) return;
  const int64_t row = i / sums.columns;
  const int64_t column = i - row * sums.columns;
  const auto value = static_cast<double>(sums.values[row * sums.stride + column]);
  terms[i] = by.first == nullptr ? value : value * static_cast<double>(by.Row(row, sums.columns)[column]);
}

struct Round {
  DF_HOST_DEVICE float operator()(double x) const { return static_cast<float>(x); }
};

}  // namespace

Status Cells::SumProducts(OpContext& ctx, const ColumnSums& sums, const StackedRows& by, float* to) {
  DF_ASSIGN(Tensor terms, ctx.AllocateTemp(DType::kDouble, Shape({sums.rows, sums.columns})));
  DF_TRY(Launch(ctx, sums.rows * sums.columns, &ColumnTerms, sums, by, terms.data<double>()));
  ReductionPlan plan;
  Shape shape;
  DF_TRY(PlanReduction(terms.shape(), {true, false}, /*keep_dims=*/false, plan, shape));
  DF_ASSIGN(Tensor totals, ctx.AllocateTemp(DType::kDouble, shape));
  DF_TRY((LaunchReduce<red::Sum, double>(ctx, plan, terms.raw(), totals.raw())));
  return LaunchMap(ctx, totals.data<double>(), to, sums.columns, Round());
}

Status Cells::SumColumns(OpContext& ctx, const ColumnSums& sums, float* to) {
  return SumProducts(ctx, sums, StackedRows{nullptr, 0, nullptr}, to);
}

}  // namespace dfrun::cuda
