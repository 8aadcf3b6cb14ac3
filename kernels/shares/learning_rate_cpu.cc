#include "kernels/device/cpu_kernel.h"
#include "kernels/shares/share_token.h"
#include "src/spec/schedule_numbers.h"

namespace dfrun {
namespace {

class StepNumberKernel final : public Kernel {
 public:
  explicit StepNumberKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    ctx.SetOutput(0, Tensor::Scalar<int64_t>(ctx.step().number));
    return Status();
  }
};

class ShareStepKernel final : public Kernel {
 public:
  explicit ShareStepKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const ShareToken token, ShareToken::Parse(ctx.input(0)));
    ctx.SetOutput(0, Tensor::Scalar<int64_t>(token.step));
    return Status();
  }
};

class LearningRateKernel final : public Kernel {
 public:
  explicit LearningRateKernel(KernelSetup& setup) {
    const auto numbers = setup.attr<Tensor>("schedule");
    if (!setup.status().ok()) return;
    Result<ScheduleSpec> schedule = ScheduleOf({numbers.data<double>(), static_cast<size_t>(numbers.num_elements())});
    if (schedule.ok()) {
      schedule_ = *std::move(schedule);
    } else {
      setup.Fail(schedule.status());
    }
  }
  Status Compute(OpContext& ctx) {
    const double rate = LearningRateAt(schedule_, ctx.input(0).scalar<int64_t>());
    const bool is_double = ctx.node().outputs[0].dtype == DType::kDouble;
    ctx.SetOutput(0, is_double ? Tensor::Scalar(rate) : Tensor::Scalar(static_cast<float>(rate)));
    return Status();
  }

 private:
  ScheduleSpec schedule_;
};

CPU_KERNEL_ANY("_StepNumber", StepNumberKernel);
CPU_KERNEL_ANY("_ShareStep", ShareStepKernel);
CPU_KERNEL_ANY("_LearningRate", LearningRateKernel);

}  // namespace
}  // namespace dfrun
