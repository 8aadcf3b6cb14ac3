#include "kernels/device/cpu_kernel.h"
#include "kernels/math/reduce/reduce_loops.h"
#include "src/framework/values/element_types.h"

namespace dfrun {

const cpu::ReducerLoops& red::HalfSquares::Reduces(DType dtype) {
  return ReducesOf<HalfSquares, DF_FLOATS>(dtype);
}

namespace {

// A reduction over everything, whose shape needs no axes.
class L2LossKernel : public Kernel {
 public:
  L2LossKernel(KernelSetup&, const cpu::ReductionLoops& loops) : loops_(loops) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &y));
    ReductionPlan plan;
    plan.row_is_reduced = true;
    plan.row = x.num_elements();
    return cpu::RunReduction(loops_, plan, x.raw(), y->raw(), ctx);
  }

 private:
  const cpu::ReductionLoops& loops_;
};

using L2Loss = cpu::FoldingWith<L2LossKernel, red::HalfSquares>;

CPU_KERNEL("L2Loss", L2Loss, DF_FLOATS);

}  // namespace
}  // namespace dfrun
