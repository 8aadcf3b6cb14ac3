#include "kernels/array/index/gather_cuda.h"

#include "kernels/array/copy/movement_cuda.h"
#include "kernels/array/copy/pick_cuda.h"
#include "kernels/array/element_size.h"
#include "kernels/array/index/coordinates_cuda.h"

namespace dfrun {
namespace cuda {
namespace {

template <class Index>
struct RowSource {
  const Index* indices;
  GatherLoops g;
  int32_t* error_flag;
  DF_DEVICE_FUNCTION int64_t operator()(int64_t element) const {
    const int64_t line = element / g.row;
    const int64_t in_row = element - line * g.row;
    const int64_t slice = line / g.indices;  // batch and slice before the axis
    const int64_t i = line - slice * g.indices;
    const auto at = static_cast<int64_t>(indices[slice / g.before * g.indices + i]);
    if (at >= 0 && at < g.size) return (slice * g.size + at) * g.row + in_row;
    *error_flag = 1;
    return -1;
  }
};

template <class Index>
struct SliceSource {
  const Index* indices;
  GpuCoordinates coordinates;
  DF_DEVICE_FUNCTION int64_t operator()(int64_t element) const {
    const int64_t i = element / coordinates.row;
    const int64_t slice = coordinates.Slice(indices, i);
    return slice == CoordinateSlices::kNowhere ? -1 : slice * coordinates.row + (element - i * coordinates.row);
  }
};

}  // namespace

Status GatherRows(OpContext& ctx, const Tensor& params, const Tensor& indices, const GatherLoops& loops, Tensor& y,
                  int32_t* error_flag) {
  Status status;
  VisitDType<int16_t, int32_t, int64_t>(indices.dtype(), [&](auto tag) {
    using Index = typename decltype(tag)::type;
    status = Pick(ctx, params.raw(), y, RowSource<Index>{indices.data<Index>(), loops, error_flag});
  });
  return status;
}

Status GatherSlices(OpContext& ctx, const Tensor& params, const Tensor& indices, const CoordinatePlan& plan,
                    BadIndices bad, Tensor& y, int32_t* error_flag) {
  DF_ASSIGN(const GpuCoordinates coordinates, GpuCoordinates::Of(plan, bad, error_flag));
  Status status;
  VisitDType<int16_t, int32_t, int64_t>(indices.dtype(), [&](auto tag) {
    using Index = typename decltype(tag)::type;
    status = Pick(ctx, params.raw(), y, SliceSource<Index>{indices.data<Index>(), coordinates});
  });
  return status;
}

}  // namespace cuda

namespace {

class GatherKernel : public Kernel {
 public:
  explicit GatherKernel(KernelSetup& setup) : error_flag_(setup, cuda::kGatherErrorText) {}
  Status Compute(OpContext& ctx) {
    if (ctx.input(0).shape().rank() == 0) return InvalidArgument("Gather from a scalar");
    return GatherAlong(ctx, 0, 0);
  }

 protected:
  Status GatherAlong(OpContext& ctx, int64_t axis, int64_t batch_dims) const {
    const Tensor& params = ctx.input(0);
    const Tensor& indices = ctx.input(1);
    Shape shape;
    DF_ASSIGN(const GatherLoops loops, GatherLoops::Of(params.shape(), indices.shape(), axis, batch_dims, shape));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    return cuda::GatherRows(ctx, params, indices, loops, *y, error_flag_.word());
  }

 private:
  const cuda::DeviceErrorFlag error_flag_;
};

class GatherV2Kernel final : public GatherKernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"axis"};
  explicit GatherV2Kernel(KernelSetup& setup) : GatherKernel(setup), batch_dims_(setup.attr<int64_t>("batch_dims")) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const GatherAxis at, ReadGatherAxis(ctx, batch_dims_));
    return GatherAlong(ctx, at.axis, at.batch_dims);
  }

 private:
  const int64_t batch_dims_;
};

class GatherNdKernel final : public Kernel {
 public:
  explicit GatherNdKernel(KernelSetup& setup)
      : bad_indices_(ReadBadIndices(setup)), error_flag_(setup, cuda::kGatherErrorText) {}
  Status Compute(OpContext& ctx) {
    const Tensor& params = ctx.input(0);
    if (params.shape().rank() == 0) return InvalidArgument("GatherNd from a scalar");
    DF_ASSIGN(const CoordinatePlan plan, CoordinatePlan::Of(ctx.input(1).shape(), params.shape()));
    DF_ASSIGN(const Shape shape, Shape::Create(plan.SliceDims(params.shape())));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    return cuda::GatherSlices(ctx, params, ctx.input(1), plan, bad_indices_, *y, error_flag_.word());
  }

 private:
  const BadIndices bad_indices_;
  const cuda::DeviceErrorFlag error_flag_;
};

CUDA_KERNEL_ATTR("Gather", "Tparams", cuda::ByBytes<GatherKernel>, DF_PLAIN);
CUDA_KERNEL_ATTR("GatherV2", "Tparams", cuda::ByBytes<GatherV2Kernel>, DF_PLAIN);
CUDA_KERNEL_ATTR("GatherNd", "Tparams", cuda::ByBytes<GatherNdKernel>, DF_PLAIN);

}  // namespace
}  // namespace dfrun
