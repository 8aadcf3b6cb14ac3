#include "kernels/array/index/group_cuda.h"

#include <bit>

#include "src/framework/values/element_types.h"

namespace dfrun::cuda {
namespace {

template <class Index>
DF_DEVICE_KERNEL void NumberByIndex(const Index* indices, int64_t n, int64_t limit, BadIndex bad, uint64_t* slices,
                                    int32_t* error_flag) {
  const int64_t i = GlobalThreadId();
  if (i >= n) return;
  const auto at = static_cast<int64_t>(indices[i]);
  const bool is_bad = at < 0 || at >= limit;
  slices[i] = static_cast<uint64_t>(is_bad ? limit : at);
  if (is_bad && (bad == BadIndex::kRefused || (bad == BadIndex::kNegativeIgnored && at >= limit))) *error_flag = 1;
}

template <class Index>
DF_DEVICE_KERNEL void NumberByCoordinates(const Index* indices, int64_t n, GpuCoordinates coordinates, uint64_t limit,
                                          uint64_t* slices) {
  const int64_t i = GlobalThreadId();
  if (i >= n) return;
  const int64_t slice = coordinates.Slice(indices, i);
  slices[i] = slice == CoordinateSlices::kNowhere ? limit : static_cast<uint64_t>(slice);
}

DF_DEVICE_KERNEL void FindBegins(UpdateRuns runs, int64_t* begins) {
  const int64_t slice = GlobalThreadId();
  if (slice <= static_cast<int64_t>(runs.limit)) begins[slice] = runs.LowerBound(static_cast<uint64_t>(slice));
}

int64_t SlicesIn(const CoordinatePlan& plan) {
  int64_t limit = 1;
  for (const int64_t size : plan.sizes) limit *= size;
  return limit;
}

}  // namespace

Result<Tensor> SlicesOfIndices(OpContext& ctx, const Tensor& indices, int64_t limit, BadIndex bad,
                               int32_t* error_flag) {
  const int64_t n = indices.num_elements();
  DF_ASSIGN(Tensor slices, ctx.AllocateTemp(DType::kUint64, Shape({n})));
  Status status = InvalidArgument("indices must be integers, but are ", indices.dtype());
  VisitDType<int16_t, uint16_t, int32_t, int64_t>(indices.dtype(), [&](auto tag) {
    using Index = typename decltype(tag)::type;
    status = Launch(ctx, n, &NumberByIndex<Index>, indices.data<Index>(), n, limit, bad, slices.data<uint64_t>(),
                    error_flag);
  });
  DF_TRY(status);
  return slices;
}

Result<Tensor> SlicesOfCoordinates(OpContext& ctx, const Tensor& indices, const CoordinatePlan& plan, BadIndices bad,
                                   int32_t* error_flag) {
  DF_ASSIGN(const GpuCoordinates coordinates, GpuCoordinates::Of(plan, bad, error_flag));
  DF_ASSIGN(Tensor slices, ctx.AllocateTemp(DType::kUint64, Shape({plan.count})));
  Status status = InvalidArgument("indices must be integers, but are ", indices.dtype());
  VisitDType<int16_t, uint16_t, int32_t, int64_t>(indices.dtype(), [&](auto tag) {
    using Index = typename decltype(tag)::type;
    status = Launch(ctx, plan.count, &NumberByCoordinates<Index>, indices.data<Index>(), plan.count, coordinates,
                    static_cast<uint64_t>(SlicesIn(plan)), slices.data<uint64_t>());
  });
  DF_TRY(status);
  return slices;
}

Result<UpdateGroups> UpdateGroups::BySlice(OpContext& ctx, Tensor slices, int64_t limit) {
  UpdateGroups groups;
  groups.limit_ = limit;
  DF_ASSIGN(groups.order_, FindOrder(ctx, slices.data<uint64_t>(), 1, slices.num_elements(),
                                     static_cast<int>(std::bit_width(static_cast<uint64_t>(limit)))));
  groups.slices_ = std::move(slices);
  return groups;
}

Result<UpdateGroups> UpdateGroups::ByIndex(OpContext& ctx, const Tensor& indices, int64_t limit, BadIndex bad,
                                           int32_t* error_flag) {
  DF_ASSIGN(Tensor slices, SlicesOfIndices(ctx, indices, limit, bad, error_flag));
  return BySlice(ctx, std::move(slices), limit);
}

Result<UpdateGroups> UpdateGroups::ByCoordinates(OpContext& ctx, const Tensor& indices, const CoordinatePlan& plan,
                                                 BadIndices bad, int32_t* error_flag) {
  DF_ASSIGN(Tensor slices, SlicesOfCoordinates(ctx, indices, plan, bad, error_flag));
  return BySlice(ctx, std::move(slices), SlicesIn(plan));
}

Result<Tensor> UpdateGroups::Begins(OpContext& ctx) const {
  DF_ASSIGN(Tensor begins, ctx.AllocateTemp(DType::kInt64, Shape({limit_ + 1})));
  DF_TRY(Launch(ctx, limit_ + 1, &FindBegins, runs(), begins.data<int64_t>()));
  return begins;
}

}  // namespace dfrun::cuda
