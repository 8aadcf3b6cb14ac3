// Segments whose ids are sorted: one after the other.
#include "kernels/array/int_values.h"
#include "kernels/device/cpu_kernel.h"
#include "kernels/math/segment/row_groups.h"
#include "kernels/math/segment/segment_checks.h"
#include "kernels/math/segment/segment_reducers.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

class SegmentKernel : public Kernel {
 public:
  SegmentKernel(KernelSetup&, const cpu::ReductionLoops& loops, bool empty_is_zero)
      : loops_(loops), empty_is_zero_(empty_is_zero) {}

  Status Compute(OpContext& ctx) {
    const Tensor& data = ctx.input(0);
    DF_TRY(CheckSegments(ctx));
    const std::vector<int64_t> ids = IntValues(ctx.input(1));
    DF_ASSIGN(const int64_t segments, CountSegments(ids));
    DF_ASSIGN(const Shape shape, RowsShape(segments, data.shape(), 1));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    if (shape.num_elements() == 0) return Status();
    DF_ASSIGN(const RowGroups groups, RowGroups::FromSorted(ctx, ids, segments));
    ReduceGroups(loops_, groups, empty_is_zero_, data.raw(), RowWidth(data.shape(), 1), y->raw(), ctx.pool());
    return Status();
  }

 private:
  const cpu::ReductionLoops& loops_;
  const bool empty_is_zero_;
};

template <class R, bool kEmptyIsZero>
struct Segment {
  template <class T>
  struct Kernel : SegmentKernel {
    explicit Kernel(KernelSetup& setup) : SegmentKernel(setup, cpu::LoopsOf<R, T>(), kEmptyIsZero) {}
  };
};

using SegmentProd = Segment<red::Prod, false>;
using SegmentSum = Segment<red::Sum, true>;
using SegmentMean = Segment<red::SegmentMean, true>;
using SegmentMax = Segment<red::Max, true>;
using SegmentMin = Segment<red::Min, true>;

CPU_KERNEL("SegmentSum", SegmentSum, DF_NUMBERS);
CPU_KERNEL("SegmentMean", SegmentMean, DF_NUMBERS);
CPU_KERNEL("SegmentProd", SegmentProd, DF_NUMBERS);
CPU_KERNEL("SegmentMax", SegmentMax, DF_REAL);
CPU_KERNEL("SegmentMin", SegmentMin, DF_REAL);

}  // namespace
}  // namespace dfrun
