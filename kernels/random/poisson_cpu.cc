#include <limits>

#include "kernels/device/cpu_kernel.h"
#include "kernels/random/samplers.h"
#include "kernels/random/sampling.h"

namespace dfrun {
namespace {

// A count as an element of the output: integers hold the largest they can, and 0 for one that is not finite.
template <class T>
T CountAs(double count) {
  if constexpr (!std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(count));
  } else {
    if (!std::isfinite(count)) return 0;
    return count >= static_cast<double>(std::numeric_limits<T>::max()) ? std::numeric_limits<T>::max()
                                                                       : static_cast<T>(count);
  }
}

template <class Source>
struct Poisson {
  template <class R>
  struct Kernel : SamplingKernel<Source> {
    using SamplingKernel<Source>::SamplingKernel;
    Status Compute(OpContext& ctx) {
      return this->Fill(ctx, [&](const Philox& generator, const Tensor& rate, int64_t per_rate, Tensor& samples) {
        Status status;
        VisitDType<float16, float, double, int32_t, int64_t>(samples.dtype(), [&](auto tag) {
          using T = typename decltype(tag)::type;
          status = DrawSamples<PoissonSampler>(ctx.pool(), generator, rate.data<R>(), rate.num_elements(), per_rate,
                                               samples.data<T>(), CountAs<T>);
        });
        return status;
      });
    }
  };
};

#define DF_RATE_TYPES float16, float, double, int32_t, int64_t
CPU_KERNEL_ATTR("RandomPoissonV2", "R", Poisson<StatefulSource>, DF_RATE_TYPES);
CPU_KERNEL_ATTR("StatelessRandomPoisson", "Rtype", Poisson<SeedInput<1>>, DF_RATE_TYPES);
#undef DF_RATE_TYPES

}  // namespace
}  // namespace dfrun
