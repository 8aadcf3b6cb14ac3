// Kernels that fill tensors with independent numbers of one distribution, on any device. A Source says where the
// numbers begin.
#ifndef DFRUN_KERNELS_RANDOM_RANDOM_KERNEL_H_
#define DFRUN_KERNELS_RANDOM_RANDOM_KERNEL_H_

#include <string_view>
#include <type_traits>

#include "kernels/array/int_values.h"
#include "kernels/random/distributions.h"
#include "kernels/random/random_source.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun::random {

// A distribution without parameters.
template <template <class> class Distribution>
struct Plain {
  template <class T>
  using Of = Distribution<T>;
  template <class T>
  static Result<Distribution<T>> Make(OpContext&, int) {
    return Distribution<T>();
  }
};

// Integers between two bounds, which are the inputs from `first` on.
struct Bounded {
  template <class T>
  using Of = dist::UniformInt<T>;
  template <class T>
  static Result<dist::UniformInt<T>> Make(OpContext& ctx, int first) {
    for (int i = first; i < first + 2; ++i) {
      if (ctx.input(i).shape().rank() != 0) {
        return InvalidArgument("the bound of input ", i, " has shape ", ctx.input(i).shape(), ", but must be a scalar");
      }
    }
    const T low = ctx.input(first).scalar<T>();
    const T high = ctx.input(first + 1).scalar<T>();
    if (low >= high) return InvalidArgument("random integers need minval < maxval, got ", low, " >= ", high);
    using Unsigned = std::make_unsigned_t<T>;
    const auto range = static_cast<Unsigned>(static_cast<Unsigned>(high) - static_cast<Unsigned>(low));
    return dist::UniformInt<T>{static_cast<Unsigned>(low), range};
  }
};

// The base of kernels that draw numbers. The inputs that give their count and their position are in host memory.
class RandomKernelBase : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"shape", "seed", "key", "counter", "alg", "minval", "maxval"};
};

// `Filler`, the device's, makes the numbers:
//     template <class Distribution, class T>
//     static Status Fill(OpContext& ctx, const Philox& generator, const Distribution& distribution, T* values, int64_t
//     n);
template <class Filler, class Distribution, class Source>
struct Random {
  template <class T>
  class Kernel : public RandomKernelBase {
   public:
    explicit Kernel(KernelSetup& setup) : source_(setup) {}
    Status Compute(OpContext& ctx) {
      DF_ASSIGN(const Shape shape, ShapeValue(ctx.input(0), "the shape"));
      const int64_t n = shape.num_elements();
      if (n == 0 && Source::kInputs == 0) return Allocate(ctx, shape).status();
      DF_ASSIGN(const Philox generator, source_.Begin(ctx, static_cast<uint64_t>(n)));
      DF_ASSIGN(T* const values, Allocate(ctx, shape));
      if (n == 0) return Status();
      DF_ASSIGN(const auto distribution, Distribution::template Make<T>(ctx, 1 + Source::kInputs));
      return Filler::Fill(ctx, generator, distribution, values, n);
    }

   private:
    static Result<T*> Allocate(OpContext& ctx, const Shape& shape) {
      Tensor* y = nullptr;
      DF_TRY(ctx.AllocateOutput(0, shape, &y));
      return y->data<T>();
    }

    Source source_;
  };
};

template <class Filler, class Source>
using Uniform = Random<Filler, Plain<dist::Uniform>, Source>;
template <class Filler, class Source>
using Normal = Random<Filler, Plain<dist::Normal>, Source>;
template <class Filler, class Source>
using TruncatedNormal = Random<Filler, Plain<dist::TruncatedNormal>, Source>;
template <class Filler, class Source>
using UniformInt = Random<Filler, Bounded, Source>;
template <class Filler, class Source>
using FullInt = Random<Filler, Plain<dist::FullInt>, Source>;

}  // namespace dfrun::random

#endif  // DFRUN_KERNELS_RANDOM_RANDOM_KERNEL_H_
