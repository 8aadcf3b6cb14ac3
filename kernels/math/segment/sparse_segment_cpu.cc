// Segments of rows picked by index.
#include "kernels/array/int_values.h"
#include "kernels/device/cpu_kernel.h"
#include "kernels/math/segment/row_groups.h"
#include "kernels/math/segment/segment_checks.h"
#include "kernels/math/segment/segment_reducers.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

class SparseSegmentKernel : public Kernel {
 public:
  SparseSegmentKernel(KernelSetup& setup, const cpu::ReductionLoops& loops)
      : loops_(loops), has_count_(setup.node().inputs.size() == 4) {}

  Status Compute(OpContext& ctx) {
    const Tensor& data = ctx.input(0);
    DF_TRY(CheckSparseSegments(ctx));
    const std::vector<int64_t> indices = IntValues(ctx.input(1));
    const std::vector<int64_t> ids = IntValues(ctx.input(2));
    DF_TRY(CheckRange(indices, data.shape().dim(0), "indices"));
    DF_ASSIGN(int64_t segments, CountSegments(ids));
    if (has_count_) {
      DF_ASSIGN(const int64_t count, IntScalar(ctx.input(3), "the number of segments"));
      if (segments > count) return InvalidArgument("segment id ", segments - 1, " is not below num_segments, ", count);
      segments = count;
    }
    DF_ASSIGN(const Shape shape, RowsShape(segments, data.shape(), 1));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    if (shape.num_elements() == 0) return Status();
    DF_ASSIGN(RowGroups groups, RowGroups::FromSorted(ctx, ids, segments));
    DF_TRY(groups.Rename(ctx, indices));
    ReduceGroups(loops_, groups, true, data.raw(), RowWidth(data.shape(), 1), y->raw(), ctx.pool());
    return Status();
  }

 private:
  const cpu::ReductionLoops& loops_;
  const bool has_count_;
};

template <class R>
using SparseSegment = cpu::FoldingWith<SparseSegmentKernel, R>;

CPU_KERNEL("SparseSegmentSum", SparseSegment<red::Sum>, DF_REAL);
CPU_KERNEL("SparseSegmentMean", SparseSegment<red::Mean>, DF_FLOATS);
CPU_KERNEL("SparseSegmentSqrtN", SparseSegment<red::SqrtN>, DF_FLOATS);
CPU_KERNEL("SparseSegmentSumWithNumSegments", SparseSegment<red::Sum>, DF_REAL);
CPU_KERNEL("SparseSegmentMeanWithNumSegments", SparseSegment<red::Mean>, DF_FLOATS);
CPU_KERNEL("SparseSegmentSqrtNWithNumSegments", SparseSegment<red::SqrtN>, DF_FLOATS);

}  // namespace
}  // namespace dfrun
