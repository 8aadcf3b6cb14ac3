#include "kernels/device/cpu_kernel.h"
#include "kernels/summary/images.h"
#include "kernels/summary/summary_output.h"

namespace dfrun {
namespace {

struct ImageSummary {
  template <class T>
  class Kernel final : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup& setup)
        : max_images_(setup.attr<int64_t>("max_images")), bad_color_(setup.attr<Tensor>("bad_color")) {
      if (bad_color_.dtype() != DType::kUint8 || bad_color_.shape().rank() != 1) {
        setup.Fail(InvalidArgument("bad_color must be a uint8 vector, but is ", bad_color_.ToString()));
      }
    }

    Status Compute(OpContext& ctx) {
      DF_ASSIGN(const std::string tag, SummaryTag(ctx));
      proto::Summary summary;
      DF_TRY(AddImages(tag, ctx.input(1), max_images_, bad_color_, summary));
      return SetSummary(ctx, summary);
    }
    bool IsExpensive() const override { return true; }

   private:
    const int64_t max_images_;
    const Tensor bad_color_;
  };
};

CPU_KERNEL("ImageSummary", ImageSummary, uint8_t, float, float16, double);

}  // namespace
}  // namespace dfrun
