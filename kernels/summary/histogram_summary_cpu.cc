#include <cmath>

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
      Histogram histogram;
      for (const T& element : ctx.input(1).values<T>()) {
        const double value = static_cast<double>(element);
        if (!std::isfinite(value)) return InvalidArgument("NaN or infinity in the histogram '", tag, "'");
        histogram.Add(value);
      }
      proto::Summary summary;
      proto::Summary::Value* value = summary.add_value();
      value->set_tag(tag);
      histogram.ToProto(value->mutable_histo());
      return SetSummary(ctx, summary);
    }
    bool IsExpensive() const override { return true; }
  };
};

CPU_KERNEL("HistogramSummary", HistogramSummary, DF_REAL);

}  // namespace
}  // namespace dfrun
