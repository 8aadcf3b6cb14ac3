#include <string>

#include "kernels/array/copy/movement_cpu.h"
#include "kernels/control/fake_param.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

class ToBoolKernel final : public Kernel {
 public:
  explicit ToBoolKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const bool holds, Holds(ctx.input(0)));
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &output));
    *output->data<bool>() = holds;
    return Status();
  }

 private:
  static Result<bool> Holds(const Tensor& value) {
    if (value.shape().rank() > 0) return value.num_elements() > 0;
    if (value.dtype() == DType::kString) return !value.scalar<std::string>().empty();
    bool holds = false;
    const bool is_number = VisitDType<float, double, int32_t, uint8_t, int16_t, int8_t, int64_t, bool>(
        value.dtype(), [&](auto tag) { holds = value.scalar<typename decltype(tag)::type>() != 0; });
    if (is_number) return holds;
    return InvalidArgument("a scalar of ", value.dtype(), " cannot be a condition");
  }
};

CPU_KERNEL_ANY("ToBool", ToBoolKernel);
CPU_KERNEL_ANY("FakeParam", FakeParamKernel<cpu::Movement>);

}  // namespace
}  // namespace dfrun
