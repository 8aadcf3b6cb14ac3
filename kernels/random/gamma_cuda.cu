#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/math/elementwise/binary_cuda.h"
#include "kernels/random/gamma_derivative.h"
#include "kernels/random/samplers.h"
#include "kernels/random/sampling.h"

namespace dfrun {
namespace {

// A thread draws a sample, as DrawSamples() does.
template <class T>
DF_DEVICE_KERNEL void DrawGammas(Philox generator, const T* alphas, int64_t count, int64_t per_alpha, T* samples) {
  const int64_t i = cuda::GlobalThreadId();
  if (i >= count * per_alpha) return;
  const int64_t p = i / per_alpha;
  generator.Skip(static_cast<uint64_t>(i) * kBlocksPerNumber);
  const GammaSampler sampler(static_cast<double>(alphas[p]));
  samples[(i - p * per_alpha) * count + p] = static_cast<T>(sampler(generator));
}

template <class Source>
struct Gamma {
  template <class T>
  struct Kernel : SamplingKernel<Source> {
    using SamplingKernel<Source>::SamplingKernel;
    Status Compute(OpContext& ctx) {
      return this->Fill(ctx, [&](const Philox& generator, const Tensor& alpha, int64_t per_alpha, Tensor& samples) {
        return cuda::Launch(ctx, samples.num_elements(), &DrawGammas<T>, generator, alpha.data<T>(),
                            alpha.num_elements(), per_alpha, samples.data<T>());
      });
    }
  };
};

CUDA_KERNEL("RandomGamma", Gamma<StatefulSource>, float16, float, double);
CUDA_KERNEL_ATTR("StatelessRandomGammaV2", "dtype", Gamma<SeedInput<1>>, float16, float, double);
CUDA_KERNEL_ATTR("StatelessRandomGammaV3", "dtype", Gamma<KeyInputs>, float16, float, double);
CUDA_KERNEL("RandomGammaGrad", cuda::Binary<fn::GammaSampleDerivative>, float, double);

}  // namespace
}  // namespace dfrun
