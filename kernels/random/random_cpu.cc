#include "kernels/array/int_values.h"
#include "kernels/random/distributions.h"
#include "kernels/random/fill_random.h"
#include "kernels/random/random_state.h"

namespace dfrun {
namespace {

template <template <class> class Distribution>
struct Random {
  template <class T>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup& setup) : state_(setup) {}
    Status Compute(OpContext& ctx) {
      DF_ASSIGN(const Shape shape, ShapeValue(ctx.input(0), "the shape"));
      Tensor* y = nullptr;
      DF_TRY(ctx.AllocateOutput(0, shape, &y));
      const int64_t n = shape.num_elements();
      if (n == 0) return Status();
      const Philox generator = state_.Reserve(static_cast<uint64_t>(n) * kBlocksPerNumber);
      FillRandom(ctx.pool(), generator, Distribution<T>(), y->data<T>(), n);
      return Status();
    }

   private:
    RandomState state_;
  };
};

struct RandomInt {
  template <class T>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup& setup) : state_(setup) {}
    Status Compute(OpContext& ctx) {
      for (int i = 1; i < 3; ++i) {
        if (ctx.input(i).shape().rank() != 0)
          return InvalidArgument("the bound of input ", i, " has shape ", ctx.input(i).shape(),
                                 ", but must be a scalar");
      }
      DF_ASSIGN(const Shape shape, ShapeValue(ctx.input(0), "the shape"));
      Tensor* y = nullptr;
      DF_TRY(ctx.AllocateOutput(0, shape, &y));
      const int64_t n = shape.num_elements();
      if (n == 0) return Status();
      const T low = ctx.input(1).scalar<T>();
      const T high = ctx.input(2).scalar<T>();
      if (low >= high) return InvalidArgument("RandomUniformInt needs minval < maxval, got ", low, " >= ", high);
      using Unsigned = std::make_unsigned_t<T>;
      const dist::UniformInt<T> uniform{
          static_cast<Unsigned>(low), static_cast<Unsigned>(static_cast<Unsigned>(high) - static_cast<Unsigned>(low))};
      const Philox generator = state_.Reserve(static_cast<uint64_t>(n) * kBlocksPerNumber);
      FillRandom(ctx.pool(), generator, uniform, y->data<T>(), n);
      return Status();
    }

   private:
    RandomState state_;
  };
};

CPU_KERNEL_ATTR("RandomUniform", "dtype", Random<dist::Uniform>, float16, bfloat16, float, double);
CPU_KERNEL_ATTR("RandomStandardNormal", "dtype", Random<dist::Normal>, float16, bfloat16, float, double);
CPU_KERNEL_ATTR("TruncatedNormal", "dtype", Random<dist::TruncatedNormal>, float16, bfloat16, float, double);
CPU_KERNEL_ATTR("RandomUniformInt", "Tout", RandomInt, int32_t, int64_t);

}  // namespace
}  // namespace dfrun
