#include "kernels/array/copy/range_count.h"
#include "kernels/array/int_values.h"
#include "kernels/device/cpu_kernel.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// start + i * delta. The product of integers may leave their range and come back.
template <class C>
C Element(C start, int64_t i, C delta) {
  if constexpr (std::is_integral_v<C>) {
    return static_cast<C>(static_cast<uint64_t>(start) + static_cast<uint64_t>(i) * static_cast<uint64_t>(delta));
  } else {
    return start + static_cast<C>(i) * delta;
  }
}

Status CheckScalars(const OpContext& ctx) {
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    if (ctx.input(i).shape().rank() == 0) continue;
    return InvalidArgument(ctx.node().op->name, " takes scalars, but input ", i, " has shape ", ctx.input(i).shape());
  }
  return Status();
}

struct RangeFamily {
  template <class T>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup&) {}
    Status Compute(OpContext& ctx) {
      DF_TRY(CheckScalars(ctx));
      using C = std::conditional_t<sizeof(T) == 2 && !std::is_integral_v<T>, float, T>;
      const C start = static_cast<C>(ctx.input(0).scalar<T>());
      const C delta = static_cast<C>(ctx.input(2).scalar<T>());
      DF_ASSIGN(const int64_t count, RangeCount<C>(start, static_cast<C>(ctx.input(1).scalar<T>()), delta));
      Tensor* y = nullptr;
      DF_TRY(ctx.AllocateOutput(0, Shape({count}), &y));
      for (int64_t i = 0; i < count; ++i) y->data<T>()[i] = static_cast<T>(Element(start, i, delta));
      return Status();
    }
  };
};

struct LinSpaceFamily {
  template <class T>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup&) {}
    Status Compute(OpContext& ctx) {
      DF_TRY(CheckScalars(ctx));
      DF_ASSIGN(const int64_t count, IntScalar(ctx.input(2), "the number of points"));
      if (count <= 0) return InvalidArgument("LinSpace needs a positive number of points, not ", count);
      using C = std::conditional_t<sizeof(T) == 2, float, T>;
      const C start = static_cast<C>(ctx.input(0).scalar<T>());
      const C stop = static_cast<C>(ctx.input(1).scalar<T>());
      Tensor* y = nullptr;
      DF_TRY(ctx.AllocateOutput(0, Shape({count}), &y));
      T* points = y->data<T>();
      const C step = count == 1 ? C(0) : (stop - start) / static_cast<C>(count - 1);
      points[0] = static_cast<T>(start);  // also where the step is infinite
      for (int64_t i = 1; i < count; ++i) points[i] = static_cast<T>(start + step * static_cast<C>(i));
      if (count > 1) points[count - 1] = static_cast<T>(stop);
      return Status();
    }
  };
};

CPU_KERNEL_ATTR("Range", "Tidx", RangeFamily, DF_FLOATS, DF_SIGNED, uint16_t, uint32_t, uint64_t);
CPU_KERNEL("LinSpace", LinSpaceFamily, DF_FLOATS);

}  // namespace
}  // namespace dfrun
