#include "kernels/device/cpu_kernel.h"
#include "kernels/state/variable_access.h"

namespace dfrun {
namespace {

// CountUpTo and ResourceCountUpTo.
struct CountUpTo {
  template <class T>
  class Kernel final : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup& setup) : limit_(setup.attr<int64_t>("limit")) {}

    Status Compute(OpContext& ctx) {
      DF_ASSIGN(Variable* const variable, VariableInput(ctx, 0));
      Tensor* output = nullptr;
      DF_TRY(ctx.AllocateOutput(0, Shape(), &output));
      const VariableLocks locks({&variable, 1});
      DF_TRY(locks.MakeWritable({&variable, 1}, DTypeOf<T>, ctx.device()));
      Tensor& value = variable->mutable_value();
      if (value.shape().rank() != 0) {
        return InvalidArgument("the variable '", variable->name(), "' of shape ", value.shape(),
                               " is no scalar, and cannot count");
      }
      if (value.scalar<T>() >= limit_) {
        return Error(Code::kOutOfRange, "the variable '", variable->name(), "' has reached its limit of ", limit_);
      }
      *output->data<T>() = (*value.data<T>())++;
      return Status();
    }

   private:
    const int64_t limit_;
  };
};

CPU_KERNEL("CountUpTo", CountUpTo, int32_t, int64_t);
CPU_KERNEL("ResourceCountUpTo", CountUpTo, int32_t, int64_t);

}  // namespace
}  // namespace dfrun
