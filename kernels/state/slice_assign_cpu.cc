#include "kernels/array/strided_slice_kernel.h"
#include "kernels/state/variable_access.h"

namespace dfrun {
namespace {

// StridedSliceAssign and ResourceStridedSliceAssign.
class SliceAssignKernel final : public StridedSliceBase {
 public:
  static constexpr bool kSharesOutputs = true;  // the ref
  using StridedSliceBase::StridedSliceBase;

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(Variable* const variable, VariableInput(ctx, 0));
    const Tensor& value = ctx.input(4);
    const VariableLocks locks({&variable, 1});
    DF_TRY(locks.MakeWritable({&variable, 1}, value.dtype(), ctx.allocator()));
    const Shape& shape = variable->value().shape();
    DF_ASSIGN(const StridedSlicePlan plan, Plan(ctx, shape, 1));
    DF_ASSIGN(const Shape slice, plan.output.ToShape());
    if (value.shape().rank() != 0 && !(value.shape() == slice)) {
      return InvalidArgument("the slice of the variable '", variable->name(), "' ", shape, " has shape ", slice,
                             ", but the value has ", value.shape());
    }
    CopyIntoSlice(ctx.pool(), plan, value, variable->mutable_value());
    if (ctx.num_outputs() > 0) ctx.SetOutputRef(0, variable);
    return Status();
  }
  bool IsExpensive() const override { return true; }
};

CPU_KERNEL_ANY("StridedSliceAssign", SliceAssignKernel);
CPU_KERNEL_ANY("ResourceStridedSliceAssign", SliceAssignKernel);

}  // namespace
}  // namespace dfrun
