#include "kernels/device/cpu_kernel.h"
#include "kernels/summary/audio.h"
#include "kernels/summary/summary_output.h"

namespace dfrun {
namespace {

// AudioSummary has the rate as an attr, AudioSummaryV2 as an input.
class AudioSummaryKernel final : public Kernel {
 public:
  explicit AudioSummaryKernel(KernelSetup& setup)
      : max_outputs_(setup.attr<int64_t>("max_outputs")), has_rate_input_(setup.node().inputs.size() > 2) {
    if (!has_rate_input_) sample_rate_ = setup.attr<float>("sample_rate");
  }

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const std::string tag, SummaryTag(ctx));
    float sample_rate = sample_rate_;
    if (has_rate_input_) {
      if (ctx.input(2).num_elements() != 1) {
        return InvalidArgument("sample_rate must be a scalar, but has shape ", ctx.input(2).shape());
      }
      sample_rate = ctx.input(2).data<float>()[0];
    }
    proto::Summary summary;
    DF_TRY(AddAudio(tag, ctx.input(1), sample_rate, max_outputs_, summary));
    return SetSummary(ctx, summary);
  }
  bool IsExpensive() const override { return true; }

 private:
  const int64_t max_outputs_;
  const bool has_rate_input_;
  float sample_rate_ = 0;  // Hz
};

CPU_KERNEL_ANY("AudioSummary", AudioSummaryKernel);
CPU_KERNEL_ANY("AudioSummaryV2", AudioSummaryKernel);

}  // namespace
}  // namespace dfrun
