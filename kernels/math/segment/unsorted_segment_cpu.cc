// Segments whose rows are anywhere; the number of segments is an input. The V2 ops of sorted segments are these too.
#include "kernels/array/int_values.h"
#include "kernels/device/cpu_kernel.h"
#include "kernels/math/segment/row_groups.h"
#include "kernels/math/segment/segment_checks.h"
#include "kernels/math/segment/segment_reducers.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

class UnsortedSegmentKernel : public Kernel {
 public:
  UnsortedSegmentKernel(KernelSetup&, const cpu::ReductionLoops& loops) : loops_(loops) {}

  Status Compute(OpContext& ctx) {
    const Tensor& data = ctx.input(0);
    const Shape& id_shape = ctx.input(1).shape();
    DF_ASSIGN(const int64_t segments, IntScalar(ctx.input(2), "the number of segments"));
    DF_TRY(CheckUnsortedSegments(ctx));
    DF_ASSIGN(const Shape shape, RowsShape(segments, data.shape(), id_shape.rank()));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    if (data.num_elements() == 0 && shape.num_elements() == 0) return Status();  // then the ids may be any
    const std::vector<int64_t> ids = IntValues(ctx.input(1));
    for (const int64_t id : ids) {
      if (id >= segments) return InvalidArgument("segment id ", id, " is not below the number of segments, ", segments);
    }
    if (shape.num_elements() == 0) return Status();
    DF_ASSIGN(const RowGroups groups, RowGroups::FromUnsorted(ctx, ids, segments));
    ReduceGroups(loops_, groups, false, data.raw(), RowWidth(data.shape(), id_shape.rank()), y->raw(), ctx.pool());
    return Status();
  }

 private:
  const cpu::ReductionLoops& loops_;
};

template <class R>
using UnsortedSegment = cpu::FoldingWith<UnsortedSegmentKernel, R>;

CPU_KERNEL("UnsortedSegmentSum", UnsortedSegment<red::Sum>, DF_NUMBERS);
CPU_KERNEL("UnsortedSegmentProd", UnsortedSegment<red::Prod>, DF_NUMBERS);
CPU_KERNEL("UnsortedSegmentMax", UnsortedSegment<red::FiniteMax>, DF_REAL);
CPU_KERNEL("UnsortedSegmentMin", UnsortedSegment<red::FiniteMin>, DF_REAL);
CPU_KERNEL("SegmentSumV2", UnsortedSegment<red::Sum>, DF_NUMBERS);
CPU_KERNEL("SegmentProdV2", UnsortedSegment<red::Prod>, DF_NUMBERS);
CPU_KERNEL("SegmentMaxV2", UnsortedSegment<red::FiniteMax>, DF_REAL);
CPU_KERNEL("SegmentMinV2", UnsortedSegment<red::FiniteMin>, DF_REAL);

}  // namespace
}  // namespace dfrun
