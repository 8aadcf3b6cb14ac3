#include <set>

#include "kernels/device/cpu_kernel.h"
#include "kernels/summary/summary_output.h"

namespace dfrun {
namespace {

class MergeSummaryKernel final : public Kernel {
 public:
  explicit MergeSummaryKernel(KernelSetup&) {}

  Status Compute(OpContext& ctx) {
    proto::Summary merged;
    std::set<std::string> tags;
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      for (const std::string& bytes : ctx.input(i).values<std::string>()) {
        proto::Summary summary;
        if (!summary.ParseFromString(bytes)) return InvalidArgument("input ", i, " is not a serialised Summary");
        for (const proto::Summary::Value& value : summary.value()) {
          if (!value.tag().empty() && !tags.insert(value.tag()).second) {
            return InvalidArgument("the tag '", value.tag(), "' comes twice in the summaries to merge");
          }
          *merged.add_value() = value;
        }
      }
    }
    return SetSummary(ctx, merged);
  }
};

CPU_KERNEL_ANY("MergeSummary", MergeSummaryKernel);

}  // namespace
}  // namespace dfrun
