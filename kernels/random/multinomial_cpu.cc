#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/device/cpu_kernel.h"
#include "kernels/math/element.h"
#include "kernels/random/distributions.h"
#include "kernels/random/random_source.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

// Doubles of a Philox block.
constexpr int64_t kDoubles = 2;

// Sums of exp(logit - largest) up to each class; a logit that is not finite adds nothing.
template <class T>
void SumWeights(const T* logits, int64_t classes, double* sums) {
  double largest = std::is_same_v<T, float16>  ? -65504.0
                   : std::is_same_v<T, double> ? std::numeric_limits<double>::lowest()
                                               : static_cast<double>(std::numeric_limits<float>::lowest());
  for (int64_t j = 0; j < classes; ++j) {
    const auto logit = static_cast<double>(logits[j]);
    if (std::isfinite(logit)) largest = std::max(largest, logit);
  }
  double sum = 0;
  for (int64_t j = 0; j < classes; ++j) {
    const auto logit = static_cast<double>(logits[j]);
    if (std::isfinite(logit)) sum += std::exp(logit - largest);
    sums[j] = sum;
  }
}

// Classes by the places at which `count` doubles, from the first-th of the generator on, fall among the sums.
template <class Index>
void DrawClasses(const double* sums, int64_t classes, Philox generator, int64_t first, int64_t count, Index* drawn) {
  generator.Skip(static_cast<uint64_t>(first / kDoubles));
  Philox::Block bits = generator.Next();
  for (int64_t j = 0, at = first % kDoubles; j < count; ++j, ++at) {
    if (at == kDoubles) {
      bits = generator.Next();
      at = 0;
    }
    const double point = dist::UnitDouble(bits[2 * at], bits[2 * at + 1]) * sums[classes - 1];
    drawn[j] = static_cast<Index>(std::upper_bound(sums, sums + classes, point) - sums);
  }
}

struct Sizes {
  int64_t rows;
  int64_t classes;
  int64_t samples;
};

Result<Sizes> CheckSizes(const Tensor& logits, const Tensor& num_samples) {
  if (logits.shape().rank() != 2) {
    return InvalidArgument("the logits have shape ", logits.shape(), ", but must be a matrix");
  }
  if (num_samples.shape().rank() != 0) {
    return InvalidArgument("num_samples has shape ", num_samples.shape(), ", but must be a scalar");
  }
  const Sizes sizes{logits.shape()[0], logits.shape()[1], num_samples.scalar<int32_t>()};
  if (sizes.samples < 0) return InvalidArgument("num_samples is ", sizes.samples, ", but must not be negative");
  if (sizes.classes == 0) return InvalidArgument("logits of shape ", logits.shape(), " have no classes to draw from");
  return sizes;
}

template <class Source>
struct Multinomial {
  template <class T>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup& setup) : source_(setup) {}
    Status Compute(OpContext& ctx) {
      DF_ASSIGN(const Sizes sizes, CheckSizes(ctx.input(0), ctx.input(1)));
      DF_ASSIGN(const Shape shape, Shape::Create(std::array<int64_t, 2>{sizes.rows, sizes.samples}));
      Tensor* drawn = nullptr;
      DF_TRY(ctx.AllocateOutput(0, shape, &drawn));
      // As many numbers as TensorFlow reserves, so that the next run goes on where its does.
      const int64_t reserved = sizes.rows * ((sizes.samples + 3) / 4 * 4 * kDoubles);
      if (drawn->num_elements() == 0 && Source::kInputs == 0) return Status();
      DF_ASSIGN(const Philox generator, source_.Begin(ctx, static_cast<uint64_t>(reserved)));
      if (drawn->num_elements() == 0) return Status();
      VisitDType<int32_t, int64_t>(drawn->dtype(), [&](auto tag) {
        Draw(ctx.pool(), generator, sizes, ctx.input(0).data<T>(), drawn->data<typename decltype(tag)::type>());
      });
      return Status();
    }

   private:
    template <class Index>
    static void Draw(ThreadPool& pool, const Philox& generator, const Sizes& sizes, const T* logits, Index* drawn) {
      constexpr int64_t kWorkPerBlock = 4096;  // exponentials or draws: some 20 us
      const int64_t rows = std::max<int64_t>(1, kWorkPerBlock / (sizes.classes + sizes.samples));
      pool.ParallelFor(sizes.rows, rows, [&](int64_t begin, int64_t end) {
        std::vector<double> sums(static_cast<size_t>(sizes.classes));
        for (int64_t row = begin; row < end; ++row) {
          SumWeights(logits + row * sizes.classes, sizes.classes, sums.data());
          DrawClasses(sums.data(), sizes.classes, generator, row * sizes.samples, sizes.samples,
                      drawn + row * sizes.samples);
        }
      });
    }

    Source source_;
  };
};

CPU_KERNEL("Multinomial", Multinomial<OwnSequence>, DF_FLOATS);
CPU_KERNEL("StatelessMultinomial", Multinomial<SeedInput<2>>, DF_FLOATS);

}  // namespace
}  // namespace dfrun
