#include "kernels/array/element_size.h"
#include "kernels/array/gather_loops.h"
#include "kernels/array/movement_cuda.h"
#include "kernels/device/cuda/launch.h"

namespace dfrun {
namespace {

template <class E, class Index>
DF_CARD_KERNEL void GatherElements(const E* params, const Index* indices, E* y, GatherLoops g, int64_t count,
                                   int32_t* refused) {
  const int64_t thread = cuda::ThreadInGrid();
  if (thread >= count) return;
  const int64_t line = thread / g.row;
  const int64_t in_row = thread - line * g.row;
  const int64_t slice = line / g.indices;  // batch and slice before the axis
  const int64_t i = line - slice * g.indices;
  const auto at = static_cast<int64_t>(indices[slice / g.before * g.indices + i]);
  if (at < 0 || at >= g.size) {
    *refused = 1;
    y[thread] = E();
    return;
  }
  y[thread] = params[(slice * g.size + at) * g.row + in_row];
}

class GatherKernel : public Kernel {
 public:
  explicit GatherKernel(KernelSetup& setup)
      : refusal_(setup, "an index is outside of the range of the gathered dimension") {}
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
    const int64_t count = shape.num_elements();
    Status status;
    VisitDType<int16_t, int32_t, int64_t>(indices.dtype(), [&](auto index_tag) {
      using Index = typename decltype(index_tag)::type;
      VisitElementOfSize(DTypeSize(params.dtype()), [&](auto tag) {
        using E = typename decltype(tag)::type;
        status = cuda::Launch(ctx, count, &GatherElements<E, Index>, static_cast<const E*>(params.raw()),
                              indices.data<Index>(), static_cast<E*>(y->raw()), loops, count, refusal_.word());
      });
    });
    return status;
  }

 private:
  const cuda::Refusal refusal_;
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

CUDA_KERNEL_ATTR("Gather", "Tparams", cuda::ByBytes<GatherKernel>, DF_PLAIN);
CUDA_KERNEL_ATTR("GatherV2", "Tparams", cuda::ByBytes<GatherV2Kernel>, DF_PLAIN);

}  // namespace
}  // namespace dfrun
