#include <algorithm>
#include <string>

#include "kernels/array/element_size.h"
#include "kernels/array/index/scatter_nd.h"
#include "kernels/array/int_values.h"
#include "kernels/device/cpu_kernel.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

template <class F, class T>
void Scatter(const CoordinateSlices& named, const T* updates, T* y) {
  for (int64_t slice : named.slices) {
    if (slice != CoordinateSlices::kNowhere) {
      T* to = y + slice * named.row;
      for (int64_t i = 0; i < named.row; ++i) to[i] = F::template Combine<T>(to[i], updates[i]);
    }
    updates += named.row;
  }
}

struct ScatterNd {
  template <class T>
  class Kernel : public ScatterNdBase {
   public:
    using ScatterNdBase::ScatterNdBase;
    Status Compute(OpContext& ctx) {
      const Tensor& updates = ctx.input(1);
      DF_ASSIGN(const Shape shape, ShapeValue(ctx.input(2), "the shape to scatter into"));
      DF_ASSIGN(const CoordinateSlices named, NamedSlices(ctx.input(0), updates, shape));
      Tensor* y = nullptr;
      DF_TRY(ctx.AllocateOutput(0, shape, &y));
      std::fill_n(y->data<T>(), shape.num_elements(), T());
      Scatter<scatter::Add>(named, updates.data<T>(), y->data<T>());
      return Status();
    }
  };
};

class TensorScatterBase : public ScatterNdBase {
 public:
  using ScatterNdBase::ScatterNdBase;

 protected:
  Result<CoordinateSlices> Prepare(OpContext& ctx, Tensor** y) const {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(CoordinateSlices named, NamedSlices(ctx.input(1), ctx.input(2), x.shape()));
    DF_TRY(ctx.ForwardOrAllocate(0, 0, x.shape(), y));
    if ((*y)->raw() != x.raw()) CopyElements(x, **y);
    return named;
  }
};

template <class F>
struct TensorScatter {
  template <class T>
  class Kernel : public TensorScatterBase {
   public:
    using TensorScatterBase::TensorScatterBase;
    Status Compute(OpContext& ctx) {
      Tensor* y = nullptr;
      DF_ASSIGN(const CoordinateSlices named, Prepare(ctx, &y));
      Scatter<F>(named, ctx.input(2).data<T>(), y->data<T>());
      return Status();
    }
  };
};

class TensorScatterUpdateKernel : public TensorScatterBase {
 public:
  using TensorScatterBase::TensorScatterBase;
  Status Compute(OpContext& ctx) {
    Tensor* y = nullptr;
    DF_ASSIGN(const CoordinateSlices named, Prepare(ctx, &y));
    VisitElement(y->dtype(), [&](auto tag) {
      using E = typename decltype(tag)::type;
      Scatter<scatter::Replace>(named, static_cast<const E*>(ctx.input(2).raw()), static_cast<E*>(y->raw()));
    });
    return Status();
  }
};

CPU_KERNEL("ScatterNd", ScatterNd, DF_NUMBERS, bool, std::string);
CPU_KERNEL_ANY("TensorScatterUpdate", TensorScatterUpdateKernel);
CPU_KERNEL("TensorScatterAdd", TensorScatter<scatter::Add>, DF_NUMBERS);
CPU_KERNEL("TensorScatterSub", TensorScatter<scatter::Subtract>, DF_NUMBERS);
CPU_KERNEL("TensorScatterMax", TensorScatter<scatter::Largest>, DF_REAL);
CPU_KERNEL("TensorScatterMin", TensorScatter<scatter::Smallest>, DF_REAL);

}  // namespace
}  // namespace dfrun
