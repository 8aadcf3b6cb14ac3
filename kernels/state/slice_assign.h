// Values put into strided slices of variables, on any device: Movement is the device's (movement_cpu.h).
#ifndef DFRUN_KERNELS_STATE_SLICE_ASSIGN_H_
#define DFRUN_KERNELS_STATE_SLICE_ASSIGN_H_

#include <string_view>
#include <utility>

#include "kernels/array/move/strided_slice_kernel.h"
#include "kernels/state/variable_access.h"

namespace dfrun {

// StridedSliceAssign and ResourceStridedSliceAssign.
template <class Movement>
class SliceAssignKernel final : public StridedSliceBase {
 public:
  static constexpr bool kSharesOutputs = true;  // the ref
  static constexpr std::string_view kHostInputs[] = {"begin", "end", "strides"};
  using StridedSliceBase::StridedSliceBase;

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(Variable* const variable, VariableInput(ctx, 0));
    const Tensor& value = ctx.input(4);
    const VariableLocks locks({&variable, 1});
    DF_TRY(locks.MakeWritable({&variable, 1}, value.dtype(), ctx.device()));
    const Shape& shape = variable->value().shape();
    DF_ASSIGN(const StridedSlicePlan plan, Plan(ctx, shape, 1));
    DF_ASSIGN(const Shape slice, plan.output.ToShape());
    if (slice.num_elements() > 0) {  // else the value may be any
      if (!Broadcasts(value.shape(), slice)) {
        return InvalidArgument("the slice of the variable '", variable->name(), "' ", shape, " has shape ", slice,
                               ", but the value has ", value.shape());
      }
      Tensor& whole = variable->mutable_value();
      Layout layout = IntoSliceLayout(plan, value.shape(), shape);
      DF_TRY(Movement::Copy(ctx, whole.dtype(), value.raw(), ElementAt(whole.raw(), whole.dtype(), layout.first),
                            std::move(layout.dims)));
    }
    if (ctx.num_outputs() > 0) ctx.SetOutputRef(0, variable);
    return Status();
  }
  bool IsExpensive() const override { return true; }

 private:
  // True where `from` broadcasts to `to`; it may have more dimensions of size 1 in front.
  static bool Broadcasts(const Shape& from, const Shape& to) {
    for (int k = from.rank() - 1, d = to.rank() - 1; k >= 0; --k, --d) {
      if (from.dim(k) != 1 && (d < 0 || from.dim(k) != to.dim(d))) return false;
    }
    return true;
  }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_STATE_SLICE_ASSIGN_H_
