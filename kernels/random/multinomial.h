// Kernels of Multinomial: classes drawn by their logits, on any device.
#ifndef DFRUN_KERNELS_RANDOM_MULTINOMIAL_H_
#define DFRUN_KERNELS_RANDOM_MULTINOMIAL_H_

#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "kernels/math/functions/element.h"
#include "kernels/random/distributions.h"
#include "kernels/random/random_source.h"

namespace dfrun::multinomial {

// Doubles of a Philox block.
inline constexpr int64_t kDoubles = 2;

// The initial value of the largest logit.
template <class T>
DF_HOST_DEVICE double LowestLogit() {
  if constexpr (std::is_same_v<T, float16>) return -65504.0;
  if constexpr (std::is_same_v<T, double>) return std::numeric_limits<double>::lowest();
  return static_cast<double>(std::numeric_limits<float>::lowest());
}

// A logit that is not finite counts for nothing.
DF_HOST_DEVICE inline double LargerLogit(double largest, double logit) {
  return std::isfinite(logit) && logit > largest ? logit : largest;
}
DF_HOST_DEVICE inline double WeightOf(double logit, double largest) {
  return std::isfinite(logit) ? std::exp(logit - largest) : 0.0;
}

// The class in whose interval `point`, of [0, 1), falls; `sums`: of the weights up to each class. nvcc 13.0 leaves
// std::advance() out of std::upper_bound() on a GPU.
DF_HOST_DEVICE inline int64_t ClassAt(double point, const double* sums, int64_t classes) {
  const double sum = point * sums[classes - 1];
  int64_t first = 0;
  for (int64_t count = classes; count > 0;) {
    const int64_t half = count / 2;
    if (sum < sums[first + half]) {
      count = half;
    } else {
      first += half + 1;
      count -= half + 1;
    }
  }
  return first;
}

struct Sizes {
  int64_t rows;
  int64_t classes;
  int64_t samples;
};

inline Result<Sizes> CheckSizes(const Tensor& logits, const Tensor& num_samples) {
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

// `Sampler`, the device's, draws the classes:
//     template <class T, class Index>
//     static Status Draw(OpContext& ctx, const Philox& generator, const Sizes& sizes, const T* logits, Index* drawn);
template <class Sampler, class Source>
struct Multinomial {
  template <class T>
  class Kernel : public dfrun::Kernel {
   public:
    // nvcc does not count the elements of a template's array.
    static constexpr std::string_view kHostInputs[2] = {"num_samples", "seed"};
    explicit Kernel(KernelSetup& setup) : source_(setup) {}
    Status Compute(OpContext& ctx) {
      DF_ASSIGN(const Sizes sizes, CheckSizes(ctx.input(0), ctx.input(1)));
      DF_ASSIGN(const Shape shape, Shape::Create(std::array<int64_t, 2>{sizes.rows, sizes.samples}));
      Tensor* drawn = nullptr;
      DF_TRY(ctx.AllocateOutput(0, shape, &drawn));
      // TensorFlow reserves as many numbers, so that the next run begins at the same number as TensorFlow's.
      const int64_t reserved = sizes.rows * ((sizes.samples + 3) / 4 * 4 * kDoubles);
      if (drawn->num_elements() == 0 && Source::kInputs == 0) return Status();
      DF_ASSIGN(const Philox generator, source_.Begin(ctx, static_cast<uint64_t>(reserved)));
      if (drawn->num_elements() == 0) return Status();
      Status status;
      VisitDType<int32_t, int64_t>(drawn->dtype(), [&](auto tag) {
        using Index = typename decltype(tag)::type;
        status = Sampler::Draw(ctx, generator, sizes, ctx.input(0).data<T>(), drawn->data<Index>());
      });
      return status;
    }

   private:
    Source source_;
  };
};

}  // namespace dfrun::multinomial

#endif  // DFRUN_KERNELS_RANDOM_MULTINOMIAL_H_
