#include "kernels/device/cpu_kernel.h"
#include "kernels/summary/histogram.h"
#include "kernels/summary/summary_output.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

struct HistogramSummary {
  template <class T>
  class Kernel final : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup&) {}
    Status Compute(OpContext& ctx) {
      DF_ASSIGN(const std::string tag, SummaryTag(ctx));
      proto::Summary summary;
      DF_TRY(AddHistogram(tag, ctx.input(1), summary));
      return SetSummary(ctx, summary);
    }
    bool IsExpensive() const override { return true; }
  };
};

CPU_KERNEL("HistogramSummary", HistogramSummary, DF_REAL);

}  // namespace
}  // namespace dfrun
