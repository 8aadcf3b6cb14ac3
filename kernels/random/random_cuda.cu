#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/random/random_kernel.h"
#include "src/base/integers.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// Group i is made from the blocks that begin i * kBlocks after the generator's place.
template <class Distribution, class T>
DF_DEVICE_KERNEL void FillGroups(Philox generator, Distribution distribution, T* values, int64_t n) {
  constexpr int kGroup = Distribution::kGroup;
  const int64_t group = cuda::GlobalThreadId();
  if (group * kGroup >= n) return;
  generator.Skip(static_cast<uint64_t>(group * Distribution::kBlocks));
  T made[kGroup];
  if constexpr (Distribution::kBlocks == 1) {
    distribution(generator.Next(), made);
  } else {
    distribution(generator, made);
  }
  for (int k = 0; k < kGroup && group * kGroup + k < n; ++k) values[group * kGroup + k] = made[k];
}

struct GpuFiller {
  template <class Distribution, class T>
  static Status Fill(OpContext& ctx, const Philox& generator, const Distribution& distribution, T* values, int64_t n) {
    return cuda::Launch(ctx, CeilDiv<int64_t>(n, Distribution::kGroup), &FillGroups<Distribution, T>, generator,
                        distribution, values, n);
  }
};

using Seed = SeedInput<1>;

CUDA_KERNEL_ATTR("RandomUniform", "dtype", random::Uniform<GpuFiller, StatefulSource>, DF_FLOATS);
CUDA_KERNEL_ATTR("RandomStandardNormal", "dtype", random::Normal<GpuFiller, StatefulSource>, DF_FLOATS);
CUDA_KERNEL_ATTR("TruncatedNormal", "dtype", random::TruncatedNormal<GpuFiller, StatefulSource>, DF_FLOATS);
CUDA_KERNEL_ATTR("RandomUniformInt", "Tout", random::UniformInt<GpuFiller, StatefulSource>, int32_t, int64_t);

CUDA_KERNEL_ATTR("StatelessRandomUniform", "dtype", random::Uniform<GpuFiller, Seed>, DF_FLOATS);
CUDA_KERNEL_ATTR("StatelessRandomNormal", "dtype", random::Normal<GpuFiller, Seed>, DF_FLOATS);
CUDA_KERNEL_ATTR("StatelessTruncatedNormal", "dtype", random::TruncatedNormal<GpuFiller, Seed>, DF_FLOATS);
CUDA_KERNEL_ATTR("StatelessRandomUniformInt", "dtype", random::UniformInt<GpuFiller, Seed>, int32_t, int64_t);
CUDA_KERNEL_ATTR("StatelessRandomUniformFullInt", "dtype", random::FullInt<GpuFiller, Seed>, int32_t, int64_t, uint32_t,
                 uint64_t);

CUDA_KERNEL_ATTR("StatelessRandomUniformV2", "dtype", random::Uniform<GpuFiller, KeyInputs>, DF_FLOATS);
CUDA_KERNEL_ATTR("StatelessRandomNormalV2", "dtype", random::Normal<GpuFiller, KeyInputs>, DF_FLOATS);
CUDA_KERNEL_ATTR("StatelessTruncatedNormalV2", "dtype", random::TruncatedNormal<GpuFiller, KeyInputs>, DF_FLOATS);
CUDA_KERNEL_ATTR("StatelessRandomUniformIntV2", "dtype", random::UniformInt<GpuFiller, KeyInputs>, int32_t, int64_t);
CUDA_KERNEL_ATTR("StatelessRandomUniformFullIntV2", "dtype", random::FullInt<GpuFiller, KeyInputs>, int32_t, int64_t,
                 uint32_t, uint64_t);

}  // namespace
}  // namespace dfrun
