#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/binary.h"
#include "kernels/random/gamma_derivative.h"
#include "kernels/random/samplers.h"
#include "kernels/random/sampling.h"

namespace dfrun {
namespace {

template <class Source>
struct Gamma {
  template <class T>
  struct Kernel : SamplingKernel<Source> {
    using SamplingKernel<Source>::SamplingKernel;
    Status Compute(OpContext& ctx) {
      return this->Fill(ctx, [&](const Philox& generator, const Tensor& alpha, int64_t per_alpha, Tensor& samples) {
        return DrawSamples<GammaSampler>(ctx.pool(), generator, alpha.data<T>(), alpha.num_elements(), per_alpha,
                                         samples.data<T>(), [](double sample) { return static_cast<T>(sample); });
      });
    }
  };
};

CPU_KERNEL("RandomGamma", Gamma<StatefulSource>, float16, float, double);
CPU_KERNEL_ATTR("StatelessRandomGammaV2", "dtype", Gamma<SeedInput<1>>, float16, float, double);
CPU_KERNEL_ATTR("StatelessRandomGammaV3", "dtype", Gamma<KeyInputs>, float16, float, double);
CPU_KERNEL("RandomGammaGrad", cpu::Binary<fn::GammaSampleDerivative>, float, double);

}  // namespace
}  // namespace dfrun
