#include "kernels/device/cpu_kernel.h"
#include "kernels/summary/summary_output.h"
#include "kernels/summary/tensor_value.h"

namespace dfrun {
namespace {

class TensorSummaryKernel final : public Kernel {
 public:
  explicit TensorSummaryKernel(KernelSetup&) {}

  Status Compute(OpContext& ctx) {
    proto::Summary summary;
    proto::Summary::Value* value = summary.add_value();
    value->set_node_name(ctx.node().name);
    DF_TRY(SetTensor(ctx.input(0), *value));
    return SetSummary(ctx, summary);
  }
};

class TensorSummaryV2Kernel final : public Kernel {
 public:
  explicit TensorSummaryV2Kernel(KernelSetup&) {}

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const std::string tag, SummaryTag(ctx));
    DF_ASSIGN(const std::string metadata, SummaryMetadata(ctx, 2));
    proto::Summary summary;
    proto::Summary::Value* value = summary.add_value();
    value->set_tag(tag);
    DF_TRY(SetTensor(ctx.input(1), *value));
    value->set_metadata(metadata);
    return SetSummary(ctx, summary);
  }
};

CPU_KERNEL_ANY("TensorSummary", TensorSummaryKernel);
CPU_KERNEL_ANY("TensorSummaryV2", TensorSummaryV2Kernel);

}  // namespace
}  // namespace dfrun
