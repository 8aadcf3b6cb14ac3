#include <algorithm>
#include <vector>

#include "kernels/math/axis_loops.h"
#include "kernels/math/element.h"
#include "kernels/math/elementwise.h"
#include "kernels/math/functors.h"
#include "src/framework/inference.h"
#include "src/framework/kernel.h"

namespace dfrun {
namespace {

int64_t ReadAxis(const Tensor& axis) {
  int64_t value = 0;
  VisitDType<int16_t, int32_t, int64_t>(axis.dtype(),
                                        [&](auto tag) { value = axis.scalar<typename decltype(tag)::type>(); });
  return value;
}

Shape WithoutAxis(const Shape& shape, int64_t axis) {
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  dims.erase(dims.begin() + axis);
  return Shape(std::span<const int64_t>(dims));
}

// The index of the element for which Better(element, best so far) holds last. NaN is never better.
template <class Better, class T>
int64_t FindBest(const T* x, int64_t n, int64_t stride) {
  using C = ComputeType<T>;
  int64_t best = 0;
  C value = static_cast<C>(x[0]);
  for (int64_t i = 1; i < n; ++i) {
    const C candidate = static_cast<C>(x[i * stride]);
    if (Better()(candidate, value)) {
      value = candidate;
      best = i;
    }
  }
  return best;
}

template <class Better>
struct Arg {
  template <class T>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup&) {}
    Status Compute(OpContext& ctx) {
      const Tensor& x = ctx.input(0);
      if (ctx.input(1).num_elements() != 1)
        return InvalidArgument("the dimension has shape ", ctx.input(1).shape(), ", but must be a scalar");
      DF_ASSIGN(const int64_t axis, CanonicalAxis(ReadAxis(ctx.input(1)), x.shape().rank()));
      const AxisLoops loops(x.shape(), static_cast<int>(axis));
      if (loops.size == 0)
        return InvalidArgument("there is no extreme along dimension ", axis, " of ", x.shape(), ": its size is 0");
      Tensor* y = nullptr;
      DF_TRY(ctx.AllocateOutput(0, WithoutAxis(x.shape(), axis), &y));
      const int64_t block = std::max<int64_t>(1, kElementBlock / loops.size);
      ctx.pool().ParallelFor(loops.outer * loops.inner, block, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t first = i / loops.inner * loops.size * loops.inner + i % loops.inner;
          Store(*y, i, FindBest<Better>(x.data<T>() + first, loops.size, loops.inner));
        }
      });
      return Status();
    }

   private:
    static void Store(Tensor& y, int64_t i, int64_t index) {
      VisitDType<int16_t, uint16_t, int32_t, int64_t>(y.dtype(), [&](auto tag) {
        using I = typename decltype(tag)::type;
        y.data<I>()[i] = static_cast<I>(index);
      });
    }
  };
};

CPU_KERNEL("ArgMax", Arg<fn::Greater>, bfloat16, float16, float, double, uint8_t, uint16_t, uint32_t, uint64_t, int8_t,
           int16_t, int32_t, int64_t, bool);
CPU_KERNEL("ArgMin", Arg<fn::Less>, bfloat16, float16, float, double, uint8_t, uint16_t, uint32_t, uint64_t, int8_t,
           int16_t, int32_t, int64_t, bool);

}  // namespace
}  // namespace dfrun
