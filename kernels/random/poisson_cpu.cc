#include <limits>

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
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup& setup) : source_(setup) {}
    Status Compute(OpContext& ctx) {
      const Tensor& rate = ctx.input(1 + Source::kInputs);
      DF_ASSIGN(const Shape shape, ShapeOfSamples(ctx.input(0), rate.shape(), Source::kInputs == 0));
      const int64_t n = shape.num_elements();
      DF_ASSIGN(const Philox generator, source_.Begin(ctx, static_cast<uint64_t>(n)));
      Tensor* samples = nullptr;
      DF_TRY(ctx.AllocateOutput(0, shape, &samples));
      if (n == 0) return Status();
      VisitDType<float16, float, double, int32_t, int64_t>(samples->dtype(), [&](auto tag) {
        Draw(ctx.pool(), generator, rate, n / rate.num_elements(), samples->data<typename decltype(tag)::type>());
      });
      return Status();
    }

   private:
    template <class T>
    static void Draw(ThreadPool& pool, const Philox& generator, const Tensor& rate, int64_t per_rate, T* samples) {
      DrawSamples<PoissonSampler>(pool, generator, rate.data<R>(), rate.num_elements(), per_rate, samples, CountAs<T>);
    }

    Source source_;
  };
};

#define DF_RATE_TYPES float16, float, double, int32_t, int64_t
CPU_KERNEL_ATTR("RandomPoissonV2", "R", Poisson<OwnSequence>, DF_RATE_TYPES);
CPU_KERNEL_ATTR("StatelessRandomPoisson", "Rtype", Poisson<SeedInput<1>>, DF_RATE_TYPES);
#undef DF_RATE_TYPES

}  // namespace
}  // namespace dfrun
