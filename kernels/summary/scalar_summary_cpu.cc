#include "kernels/device/cpu_kernel.h"
#include "kernels/summary/summary_output.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

struct ScalarSummary {
  template <class T>
  class Kernel final : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup&) {}
    Status Compute(OpContext& ctx) {
      const Tensor& tags = ctx.input(0);
      const Tensor& values = ctx.input(1);
      if (!(tags.shape() == values.shape())) {
        return InvalidArgument("tags of shape ", tags.shape(), " do not fit values of shape ", values.shape());
      }
      proto::Summary summary;
      for (int64_t i = 0; i < values.num_elements(); ++i) {
        proto::Summary::Value* value = summary.add_value();
        value->set_tag(tags.data<std::string>()[i]);
        value->set_simple_value(static_cast<float>(values.data<T>()[i]));
      }
      return SetSummary(ctx, summary);
    }
  };
};

CPU_KERNEL("ScalarSummary", ScalarSummary, DF_REAL);

}  // namespace
}  // namespace dfrun
