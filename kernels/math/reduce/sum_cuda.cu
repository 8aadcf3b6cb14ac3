// Sum, and the reductions that are made of sums.
#include "kernels/math/reduce/sum_cuda.h"

#include "kernels/math/functions/complex_cuda.h"
#include "kernels/math/functions/reducers.h"
#include "kernels/math/reduce/reduction_cuda.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CUDA_KERNEL("Sum", cuda::Reduction<red::Sum>, DF_NUMBERS);
CUDA_KERNEL("Mean", cuda::Reduction<red::Mean>, DF_REAL);
CUDA_KERNEL("EuclideanNorm", cuda::Reduction<red::EuclideanNorm>, DF_REAL);

// Half the sum of the squares of all elements.
class L2LossKernel : public Kernel {
 public:
  L2LossKernel(KernelSetup&, cuda::ReduceLaunch launch) : launch_(launch) {}
  Status Compute(OpContext& ctx) {
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &y));
    ReductionPlan plan;
    plan.row_is_reduced = true;
    plan.row = ctx.input(0).num_elements();
    return launch_(ctx, plan, ctx.input(0).raw(), y->raw());
  }

 private:
  const cuda::ReduceLaunch launch_;
};
using L2Loss = cuda::FoldingWith<L2LossKernel, red::HalfSquares>;

CUDA_KERNEL("L2Loss", L2Loss, DF_FLOATS);

}  // namespace

Status cuda::SumElements(OpContext& ctx, const ReductionPlan& plan, const Tensor& from, Tensor& to) {
  Status status;
  VisitDType<DF_NUMBERS>(from.dtype(), [&](auto tag) {
    status = LaunchReduce<red::Sum, GpuType<typename decltype(tag)::type>>(ctx, plan, from.raw(), to.raw());
  });
  return status;
}

}  // namespace dfrun
