// The gradients of segments of rows picked by index: rows of the gradient, divided as their segment was, added up where
// the rows were picked.
#include <algorithm>
#include <iterator>

#include "kernels/array/int_values.h"
#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/elementwise.h"
#include "kernels/math/functions/reducers.h"
#include "kernels/math/segment/row_groups.h"
#include "kernels/math/segment/segment_checks.h"
#include "kernels/math/segment/segment_weights.h"
#include "src/base/sort_unique.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

template <class T>
void ScaleRows(const Tensor& rows, const std::vector<double>& weights, Tensor& scaled) {
  const int64_t width = RowWidth(rows.shape(), 1);
  for (size_t r = 0; r < weights.size(); ++r) {
    const auto weight = static_cast<ComputeType<T>>(weights[r]);
    const int64_t first = static_cast<int64_t>(r) * width;
    for (int64_t i = first; i < first + width; ++i)
      scaled.data<T>()[i] = static_cast<T>(weight * static_cast<ComputeType<T>>(rows.data<T>()[i]));
  }
}

using Scale = void (*)(const Tensor& rows, const std::vector<double>& weights, Tensor& scaled);

// Inputs: grad, indices, segment_ids, the rows of the differentiated tensor. With a second output, only the rows that
// were picked are made, and their indices.
class SparseSegmentGradKernel : public Kernel {
 public:
  SparseSegmentGradKernel(KernelSetup& setup, const cpu::ReductionLoops& sum, Scale scale, SegmentDivisor divisor)
      : sum_(sum), scale_(scale), divisor_(divisor), is_sparse_(setup.node().outputs.size() == 2) {}

  Status Compute(OpContext& ctx) {
    const Tensor& grad = ctx.input(0);
    DF_ASSIGN(int64_t rows, IntScalar(ctx.input(3), "the number of rows"));
    DF_TRY(CheckSparseSegmentGrad(ctx, rows));
    std::vector<int64_t> indices = IntValues(ctx.input(1));
    std::vector<int64_t> ids = IntValues(ctx.input(2));
    if (rows == 0) indices.clear(), ids.clear();  // they may be any
    DF_TRY(CheckRange(ids, grad.shape().dim(0), "segment ids"));
    DF_TRY(CheckRange(indices, rows, "indices"));
    if (is_sparse_) {
      DF_ASSIGN(rows, NumberUnique(ctx, indices));
    }
    DF_ASSIGN(const Shape shape, RowsShape(rows, grad.shape(), 1));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    if (shape.num_elements() == 0) return Status();
    DF_ASSIGN(const Tensor weighted, Weighted(ctx, grad, ids));
    DF_ASSIGN(RowGroups groups, RowGroups::FromUnsorted(ctx, indices, rows));
    DF_TRY(groups.Rename(ctx, ids));
    ReduceGroups(sum_, groups, true, weighted.raw(), RowWidth(grad.shape(), 1), y->raw(), ctx.pool());
    return Status();
  }

 private:
  // Writes the indices that there are, in order, to output 1, replaces each by its index there, and counts them.
  static Result<int64_t> NumberUnique(OpContext& ctx, std::vector<int64_t>& indices) {
    std::vector<int64_t> unique = indices;
    SortUnique(unique);
    const auto count = static_cast<int64_t>(unique.size());
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(1, Shape({count}), &output));
    DF_TRY(StoreInts(unique, *output));
    for (int64_t& i : indices) i = std::lower_bound(unique.begin(), unique.end(), i) - unique.begin();
    return count;
  }

  Result<Tensor> Weighted(OpContext& ctx, const Tensor& grad, const std::vector<int64_t>& ids) const {
    if (divisor_ == SegmentDivisor::kOne) return grad;
    std::vector<double> weights(static_cast<size_t>(grad.shape().dim(0)));
    for (const int64_t id : ids) ++weights[static_cast<size_t>(id)];
    for (double& w : weights) w = WeightOfRows(divisor_, w);
    DF_ASSIGN(Tensor scaled, ctx.AllocateTemp(grad.dtype(), grad.shape()));
    scale_(grad, weights, scaled);
    return scaled;
  }

  const cpu::ReductionLoops& sum_;
  const Scale scale_;
  const SegmentDivisor divisor_;
  const bool is_sparse_;
};

template <SegmentDivisor kDivisor>
struct SparseSegmentGrad {
  template <class T>
  struct Kernel : SparseSegmentGradKernel {
    explicit Kernel(KernelSetup& setup)
        : SparseSegmentGradKernel(setup, cpu::LoopsOf<red::Sum, T>(), &ScaleRows<T>, kDivisor) {}
  };
};

CPU_KERNEL("SparseSegmentSumGrad", SparseSegmentGrad<SegmentDivisor::kOne>, DF_FLOATS);
CPU_KERNEL("SparseSegmentMeanGrad", SparseSegmentGrad<SegmentDivisor::kRows>, DF_FLOATS);
CPU_KERNEL("SparseSegmentSqrtNGrad", SparseSegmentGrad<SegmentDivisor::kRootOfRows>, DF_FLOATS);
CPU_KERNEL("SparseSegmentSumGradV2", SparseSegmentGrad<SegmentDivisor::kOne>, DF_FLOATS);
CPU_KERNEL("SparseSegmentMeanGradV2", SparseSegmentGrad<SegmentDivisor::kRows>, DF_FLOATS);
CPU_KERNEL("SparseSegmentSqrtNGradV2", SparseSegmentGrad<SegmentDivisor::kRootOfRows>, DF_FLOATS);

}  // namespace
}  // namespace dfrun
