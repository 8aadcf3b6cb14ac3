// Tensors of independent numbers of one distribution, whichever way an op says where its numbers begin.
#include "kernels/array/int_values.h"
#include "kernels/device/cpu_kernel.h"
#include "kernels/random/distributions.h"
#include "kernels/random/fill_random.h"
#include "kernels/random/random_source.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

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

template <class Distribution, class Source>
struct Random {
  template <class T>
  class Kernel : public dfrun::Kernel {
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
      FillRandom(ctx.pool(), generator, distribution, values, n);
      return Status();
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

template <class Source>
using Uniform = Random<Plain<dist::Uniform>, Source>;
template <class Source>
using Normal = Random<Plain<dist::Normal>, Source>;
template <class Source>
using TruncatedNormal = Random<Plain<dist::TruncatedNormal>, Source>;
template <class Source>
using UniformInt = Random<Bounded, Source>;
template <class Source>
using FullInt = Random<Plain<dist::FullInt>, Source>;
using Seed = SeedInput<1>;

CPU_KERNEL_ATTR("RandomUniform", "dtype", Uniform<OwnSequence>, DF_FLOATS);
CPU_KERNEL_ATTR("RandomStandardNormal", "dtype", Normal<OwnSequence>, DF_FLOATS);
CPU_KERNEL_ATTR("TruncatedNormal", "dtype", TruncatedNormal<OwnSequence>, DF_FLOATS);
CPU_KERNEL_ATTR("RandomUniformInt", "Tout", UniformInt<OwnSequence>, int32_t, int64_t);

CPU_KERNEL_ATTR("StatelessRandomUniform", "dtype", Uniform<Seed>, DF_FLOATS);
CPU_KERNEL_ATTR("StatelessRandomNormal", "dtype", Normal<Seed>, DF_FLOATS);
CPU_KERNEL_ATTR("StatelessTruncatedNormal", "dtype", TruncatedNormal<Seed>, DF_FLOATS);
CPU_KERNEL_ATTR("StatelessRandomUniformInt", "dtype", UniformInt<Seed>, int32_t, int64_t);
CPU_KERNEL_ATTR("StatelessRandomUniformFullInt", "dtype", FullInt<Seed>, int32_t, int64_t, uint32_t, uint64_t);

CPU_KERNEL_ATTR("StatelessRandomUniformV2", "dtype", Uniform<KeyInputs>, DF_FLOATS);
CPU_KERNEL_ATTR("StatelessRandomNormalV2", "dtype", Normal<KeyInputs>, DF_FLOATS);
CPU_KERNEL_ATTR("StatelessTruncatedNormalV2", "dtype", TruncatedNormal<KeyInputs>, DF_FLOATS);
CPU_KERNEL_ATTR("StatelessRandomUniformIntV2", "dtype", UniformInt<KeyInputs>, int32_t, int64_t);
CPU_KERNEL_ATTR("StatelessRandomUniformFullIntV2", "dtype", FullInt<KeyInputs>, int32_t, int64_t, uint32_t, uint64_t);

}  // namespace
}  // namespace dfrun
