#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/random/multinomial.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

using multinomial::kDoubles;
using multinomial::Multinomial;

struct Larger {
  DF_HOST_DEVICE double operator()(double a, double b) const { return b > a ? b : a; }
};

// A block takes a row.
template <class T>
DF_DEVICE_KERNEL void Weights(const T* logits, double* weights, int64_t classes) {
  const int64_t row = cuda::GlobalBlockId() * classes;
  double mine = multinomial::LowestLogit<T>();
  for (int64_t j = cuda::ThreadInBlock(); j < classes; j += cuda::kBlockThreads) {
    mine = multinomial::LargerLogit(mine, static_cast<double>(logits[row + j]));
  }
  const double largest = cuda::BlockReduce(mine, Larger());
  for (int64_t j = cuda::ThreadInBlock(); j < classes; j += cuda::kBlockThreads) {
    weights[row + j] = multinomial::WeightOf(static_cast<double>(logits[row + j]), largest);
  }
}

// Weights become their sums up to each class, one after the other, as CPUs add them.
DF_DEVICE_KERNEL void SumWeights(double* weights, int64_t rows, int64_t classes) {
  const int64_t row = cuda::GlobalThreadId();
  if (row >= rows) return;
  double sum = 0;
  for (int64_t j = row * classes; j < (row + 1) * classes; ++j) {
    sum += weights[j];
    weights[j] = sum;
  }
}

template <class Index>
DF_DEVICE_KERNEL void DrawClasses(Philox generator, multinomial::Sizes sizes, const double* sums, Index* drawn) {
  const int64_t i = cuda::GlobalThreadId();
  if (i >= sizes.rows * sizes.samples) return;
  generator.Skip(static_cast<uint64_t>(i / kDoubles));
  const Philox::Block bits = generator.Next();
  const auto at = static_cast<size_t>(2 * (i % kDoubles));
  const int64_t row = i / sizes.samples;
  drawn[i] = static_cast<Index>(
      multinomial::ClassAt(dist::UnitDouble(bits[at], bits[at + 1]), sums + row * sizes.classes, sizes.classes));
}

struct Sampler {
  template <class T, class Index>
  static Status Draw(OpContext& ctx, const Philox& generator, const multinomial::Sizes& sizes, const T* logits,
                     Index* drawn) {
    DF_ASSIGN(Tensor memory, ctx.AllocateTemp(DType::kDouble, Shape({sizes.rows, sizes.classes})));
    double* const sums = memory.data<double>();
    DF_TRY(cuda::LaunchWithBarriers(ctx, sizes.rows, &Weights<T>, logits, sums, sizes.classes));
    DF_TRY(cuda::Launch(ctx, sizes.rows, &SumWeights, sums, sizes.rows, sizes.classes));
    return cuda::Launch(ctx, sizes.rows * sizes.samples, &DrawClasses<Index>, generator, sizes, sums, drawn);
  }
};

using OfStatefulSource = Multinomial<Sampler, StatefulSource>;
using OfSeed = Multinomial<Sampler, SeedInput<2>>;
CUDA_KERNEL("Multinomial", OfStatefulSource, DF_FLOATS);
CUDA_KERNEL("StatelessMultinomial", OfSeed, DF_FLOATS);

}  // namespace
}  // namespace dfrun
