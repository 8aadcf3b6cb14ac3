#include "kernels/array/int_values.h"
#include "kernels/math/segment/row_groups.h"
#include "kernels/math/segment/segment_checks.h"
#include "kernels/math/segment/segment_cuda.h"

namespace dfrun::cuda {
namespace {

// begins[g] = the first of sorted ids that is g or more.
template <class Id>
DF_DEVICE_KERNEL void FindSortedBegins(const Id* ids, int64_t n, int64_t segments, int64_t* begins) {
  const int64_t g = GlobalThreadId();
  if (g > segments) return;
  int64_t begin = 0;
  int64_t end = n;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    if (static_cast<int64_t>(ids[middle]) < g) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  begins[g] = begin;
}

template <class Id>
DF_DEVICE_KERNEL void CheckSorted(const Id* ids, int64_t n, int64_t segments, int32_t* error_flag) {
  const int64_t i = GlobalThreadId();
  if (i >= n) return;
  const auto id = static_cast<int64_t>(ids[i]);
  const int64_t least = i == 0 ? 0 : static_cast<int64_t>(ids[i - 1]);
  if (id < least || id >= segments) *error_flag = 1;
}

constexpr std::string_view kNotSorted = "segment ids must increase from 0 on and be below their number";

// One more than the last of sorted ids.
Result<int64_t> SegmentsOf(OpContext& ctx, const Tensor& ids) {
  const int64_t n = ids.num_elements();
  if (n == 0) return 0;
  DF_ASSIGN(const Tensor last, OnHost(ctx, ids, n - 1, 1));
  const int64_t id = IntValues(last)[0];
  if (id < 0) return InvalidArgument("segment ids must increase from 0 on, but the last is ", id);
  return SegmentsUpTo(id);
}

}  // namespace

Result<Tensor> BeginsOfSorted(OpContext& ctx, const Tensor& ids, int64_t segments, int32_t* error_flag) {
  const int64_t n = ids.num_elements();
  DF_ASSIGN(Tensor begins, ctx.AllocateTemp(DType::kInt64, Shape({segments + 1})));
  Status status;
  VisitDType<int32_t, int64_t>(ids.dtype(), [&](auto tag) {
    using Id = typename decltype(tag)::type;
    status = Launch(ctx, n, &CheckSorted<Id>, ids.data<Id>(), n, segments, error_flag);
    if (!status.ok()) return;
    status = Launch(ctx, segments + 1, &FindSortedBegins<Id>, ids.data<Id>(), n, segments, begins.data<int64_t>());
  });
  DF_TRY(status);
  return begins;
}

SegmentOnGpu::SegmentOnGpu(KernelSetup& setup, GroupReduce reduce, bool empty_is_zero)
    : reduce_(reduce), empty_is_zero_(empty_is_zero), error_flag_(setup, kNotSorted) {}

Status SegmentOnGpu::Compute(OpContext& ctx) {
  const Tensor& data = ctx.input(0);
  const Tensor& ids = ctx.input(1);
  DF_TRY(CheckSegments(ctx));
  DF_ASSIGN(const int64_t segments, SegmentsOf(ctx, ids));
  DF_ASSIGN(const Shape shape, RowsShape(segments, data.shape(), 1));
  Tensor* y = nullptr;
  DF_TRY(ctx.AllocateOutput(0, shape, &y));
  DF_ASSIGN(const Tensor begins, BeginsOfSorted(ctx, ids, segments, error_flag_.word()));
  return reduce_(ctx,
                 {begins.data<int64_t>(), nullptr, nullptr, ids.num_elements(), segments, RowWidth(data.shape(), 1),
                  empty_is_zero_},
                 data.raw(), y->raw());
}

UnsortedSegmentOnGpu::UnsortedSegmentOnGpu(KernelSetup& setup, GroupReduce reduce)
    : reduce_(reduce), error_flag_(setup, "a segment id is not below the number of segments") {}

Status UnsortedSegmentOnGpu::Compute(OpContext& ctx) {
  const Tensor& data = ctx.input(0);
  const Tensor& ids = ctx.input(1);
  const int leading = ids.shape().rank();
  DF_ASSIGN(const int64_t segments, IntScalar(ctx.input(2), "the number of segments"));
  DF_TRY(CheckUnsortedSegments(ctx));
  DF_ASSIGN(const Shape shape, RowsShape(segments, data.shape(), leading));
  Tensor* y = nullptr;
  DF_TRY(ctx.AllocateOutput(0, shape, &y));
  if (data.num_elements() == 0 && shape.num_elements() == 0) return Status();  // then the ids may be any
  DF_ASSIGN(const UpdateGroups groups,
            UpdateGroups::ByIndex(ctx, ids, segments, BadIndex::kNegativeIgnored, error_flag_.word()));
  if (shape.num_elements() == 0) return Status();
  DF_ASSIGN(const Tensor begins, groups.Begins(ctx));
  return reduce_(ctx,
                 {begins.data<int64_t>(), groups.order().data<int32_t>(), nullptr, ids.num_elements(), segments,
                  RowWidth(data.shape(), leading), false},
                 data.raw(), y->raw());
}

SparseSegmentOnGpu::SparseSegmentOnGpu(KernelSetup& setup, GroupReduce reduce)
    : reduce_(reduce), error_flag_(setup, StrCat(kNotSorted, ", and indices name rows")) {}

Status SparseSegmentOnGpu::Compute(OpContext& ctx) {
  const Tensor& data = ctx.input(0);
  const Tensor& ids = ctx.input(2);
  DF_TRY(CheckSparseSegments(ctx));
  int64_t segments = 0;
  if (ctx.num_inputs() == 4) {
    DF_ASSIGN(segments, IntScalar(ctx.input(3), "the number of segments"));
  } else {
    DF_ASSIGN(segments, SegmentsOf(ctx, ids));
  }
  DF_ASSIGN(const Shape shape, RowsShape(segments, data.shape(), 1));
  Tensor* y = nullptr;
  DF_TRY(ctx.AllocateOutput(0, shape, &y));
  const int64_t data_rows = data.shape().dim(0);
  DF_ASSIGN(const Tensor rows, SlicesOfIndices(ctx, ctx.input(1), data_rows, BadIndex::kRefused, error_flag_.word()));
  DF_ASSIGN(const Tensor begins, BeginsOfSorted(ctx, ids, segments, error_flag_.word()));
  return reduce_(ctx,
                 {begins.data<int64_t>(), nullptr, static_cast<const int64_t*>(rows.raw()), data_rows, segments,
                  RowWidth(data.shape(), 1), true},
                 data.raw(), y->raw());
}

}  // namespace dfrun::cuda
