#include "kernels/device/cpu_kernel.h"
#include "kernels/random/fill_random.h"
#include "kernels/random/random_kernel.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

struct Threads {
  template <class Distribution, class T>
  static Status Fill(OpContext& ctx, const Philox& generator, const Distribution& distribution, T* values, int64_t n) {
    FillRandom(ctx.pool(), generator, distribution, values, n);
    return Status();
  }
};

using Seed = SeedInput<1>;

CPU_KERNEL_ATTR("RandomUniform", "dtype", random::Uniform<Threads, StatefulSource>, DF_FLOATS);
CPU_KERNEL_ATTR("RandomStandardNormal", "dtype", random::Normal<Threads, StatefulSource>, DF_FLOATS);
CPU_KERNEL_ATTR("TruncatedNormal", "dtype", random::TruncatedNormal<Threads, StatefulSource>, DF_FLOATS);
CPU_KERNEL_ATTR("RandomUniformInt", "Tout", random::UniformInt<Threads, StatefulSource>, int32_t, int64_t);

CPU_KERNEL_ATTR("StatelessRandomUniform", "dtype", random::Uniform<Threads, Seed>, DF_FLOATS);
CPU_KERNEL_ATTR("StatelessRandomNormal", "dtype", random::Normal<Threads, Seed>, DF_FLOATS);
CPU_KERNEL_ATTR("StatelessTruncatedNormal", "dtype", random::TruncatedNormal<Threads, Seed>, DF_FLOATS);
CPU_KERNEL_ATTR("StatelessRandomUniformInt", "dtype", random::UniformInt<Threads, Seed>, int32_t, int64_t);
CPU_KERNEL_ATTR("StatelessRandomUniformFullInt", "dtype", random::FullInt<Threads, Seed>, int32_t, int64_t, uint32_t,
                uint64_t);

CPU_KERNEL_ATTR("StatelessRandomUniformV2", "dtype", random::Uniform<Threads, KeyInputs>, DF_FLOATS);
CPU_KERNEL_ATTR("StatelessRandomNormalV2", "dtype", random::Normal<Threads, KeyInputs>, DF_FLOATS);
CPU_KERNEL_ATTR("StatelessTruncatedNormalV2", "dtype", random::TruncatedNormal<Threads, KeyInputs>, DF_FLOATS);
CPU_KERNEL_ATTR("StatelessRandomUniformIntV2", "dtype", random::UniformInt<Threads, KeyInputs>, int32_t, int64_t);
CPU_KERNEL_ATTR("StatelessRandomUniformFullIntV2", "dtype", random::FullInt<Threads, KeyInputs>, int32_t, int64_t,
                uint32_t, uint64_t);

}  // namespace
}  // namespace dfrun
