#include <cmath>

#include "kernels/summary/histogram.h"
#include "kernels/summary/summary_output.h"

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

CPU_KERNEL("HistogramSummary", HistogramSummary, bfloat16, float16, float, double, int8_t, int16_t, int32_t, int64_t,
           uint8_t, uint16_t, uint32_t, uint64_t);

}  // namespace
}  // namespace dfrun
