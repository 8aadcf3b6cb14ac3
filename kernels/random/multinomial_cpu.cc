#include "kernels/random/multinomial.h"

#include <vector>

#include "kernels/device/cpu_kernel.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

using multinomial::kDoubles;
using multinomial::Multinomial;

// Sums of the weights up to each class.
template <class T>
void SumWeights(const T* logits, int64_t classes, double* sums) {
  double largest = multinomial::LowestLogit<T>();
  for (int64_t j = 0; j < classes; ++j) {
    largest = multinomial::LargerLogit(largest, static_cast<double>(logits[j]));
  }
  double sum = 0;
  for (int64_t j = 0; j < classes; ++j) {
    sum += multinomial::WeightOf(static_cast<double>(logits[j]), largest);
    sums[j] = sum;
  }
}

// Classes by the intervals in which `count` doubles, from the first-th of the generator on, fall between the sums.
template <class Index>
void DrawClasses(const double* sums, int64_t classes, Philox generator, int64_t first, int64_t count, Index* drawn) {
  generator.Skip(static_cast<uint64_t>(first / kDoubles));
  Philox::Block bits = generator.Next();
  for (int64_t j = 0, at = first % kDoubles; j < count; ++j, ++at) {
    if (at == kDoubles) {
      bits = generator.Next();
      at = 0;
    }
    drawn[j] =
        static_cast<Index>(multinomial::ClassAt(dist::UnitDouble(bits[2 * at], bits[2 * at + 1]), sums, classes));
  }
}

struct Sampler {
  template <class T, class Index>
  static Status Draw(OpContext& ctx, const Philox& generator, const multinomial::Sizes& sizes, const T* logits,
                     Index* drawn) {
    constexpr int64_t kWorkPerBlock = 4096;  // exponentials or draws: some 20 us
    const int64_t rows = std::max<int64_t>(1, kWorkPerBlock / (sizes.classes + sizes.samples));
    ctx.pool().ParallelFor(sizes.rows, rows, [&](int64_t begin, int64_t end) {
      std::vector<double> sums(static_cast<size_t>(sizes.classes));
      for (int64_t row = begin; row < end; ++row) {
        SumWeights(logits + row * sizes.classes, sizes.classes, sums.data());
        DrawClasses(sums.data(), sizes.classes, generator, row * sizes.samples, sizes.samples,
                    drawn + row * sizes.samples);
      }
    });
    return Status();
  }
};

using OfStatefulSource = Multinomial<Sampler, StatefulSource>;
using OfSeed = Multinomial<Sampler, SeedInput<2>>;
CPU_KERNEL("Multinomial", OfStatefulSource, DF_FLOATS);
CPU_KERNEL("StatelessMultinomial", OfSeed, DF_FLOATS);

}  // namespace
}  // namespace dfrun
