#include "kernels/math/binary.h"
#include "kernels/random/gamma_derivative.h"
#include "kernels/random/samplers.h"
#include "kernels/random/sampling.h"

namespace dfrun {
namespace {

template <class Source>
struct Gamma {
  template <class T>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup& setup) : source_(setup) {}
    Status Compute(OpContext& ctx) {
      const Tensor& alpha = ctx.input(1 + Source::kInputs);
      DF_ASSIGN(const Shape shape, ShapeOfSamples(ctx.input(0), alpha.shape(), Source::kInputs == 0));
      const int64_t n = shape.num_elements();
      DF_ASSIGN(const Philox generator, source_.Begin(ctx, static_cast<uint64_t>(n)));
      Tensor* samples = nullptr;
      DF_TRY(ctx.AllocateOutput(0, shape, &samples));
      if (n == 0) return Status();
      const int64_t count = alpha.num_elements();
      DrawSamples<GammaSampler>(ctx.pool(), generator, alpha.data<T>(), count, n / count, samples->data<T>(),
                                [](double sample) { return static_cast<T>(sample); });
      return Status();
    }

   private:
    Source source_;
  };
};

CPU_KERNEL("RandomGamma", Gamma<OwnSequence>, float16, float, double);
CPU_KERNEL_ATTR("StatelessRandomGammaV2", "dtype", Gamma<SeedInput<1>>, float16, float, double);
CPU_KERNEL_ATTR("StatelessRandomGammaV3", "dtype", Gamma<KeyInputs>, float16, float, double);
CPU_KERNEL("RandomGammaGrad", Binary<fn::GammaSampleDerivative>, float, double);

}  // namespace
}  // namespace dfrun
