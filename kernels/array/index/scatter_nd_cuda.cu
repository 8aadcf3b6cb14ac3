#include "kernels/array/index/scatter_nd.h"

#include <complex>
#include <string_view>

#include "kernels/array/copy/movement_cuda.h"
#include "kernels/array/element_size.h"
#include "kernels/array/index/scatter_cuda.h"
#include "kernels/array/int_values.h"
#include "kernels/array/value_bits.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace cuda {
namespace {

// A functor of scatters that refuses nothing.
template <class F>
struct Accepting {
  template <class T>
  DF_DEVICE_FUNCTION static T Combine(const T& element, const T& update, int32_t*) {
    return F::template Combine<T>(element, update);
  }
};

// The launch of sums and differences: integers go as bits, complex numbers as two.
template <class F>
ScatterLaunch SumLaunch(DType dtype) {
  using A = Accepting<F>;
  if (dtype == DType::kComplex64) return &LaunchScatter<A, float, 2>;
  if (dtype == DType::kComplex128) return &LaunchScatter<A, double, 2>;
  if (dtype == DType::kBool) return &LaunchScatter<A, bool>;
  ScatterLaunch launch = nullptr;
  VisitDType<DF_REAL>(dtype, [&](auto tag) { launch = &LaunchScatter<A, ValueBits<typename decltype(tag)::type>>; });
  return launch;
}

}  // namespace

ScatterLaunch ReplaceLaunch(DType dtype) {
  ScatterLaunch launch = nullptr;
  if (!IsPlain(dtype)) return launch;
  VisitElementOfSize(DTypeSize(dtype), [&](auto tag) {
    launch = &LaunchScatter<Accepting<scatter::Replace>, typename decltype(tag)::type>;
  });
  return launch;
}
ScatterLaunch AddLaunch(DType dtype) {
  return SumLaunch<scatter::Add>(dtype);
}
ScatterLaunch SubtractLaunch(DType dtype) {
  return SumLaunch<scatter::Subtract>(dtype);
}

}  // namespace cuda

namespace {

constexpr std::string_view kRefusal = "an index is outside of the shape of what is scattered into";

class GpuScatterNd : public ScatterNdBase {
 public:
  GpuScatterNd(KernelSetup& setup, cuda::ScatterLaunch launch)
      : ScatterNdBase(setup), launch_(launch), error_flag_(setup, kRefusal) {}

 protected:
  Status Scatter(OpContext& ctx, const Tensor& indices, const Tensor& updates, const CoordinatePlan& plan,
                 Tensor& y) const {
    if (updates.num_elements() == 0) return Status();
    DF_ASSIGN(const cuda::UpdateGroups groups,
              cuda::UpdateGroups::ByCoordinates(ctx, indices, plan, bad_indices(), error_flag_.word()));
    return launch_(ctx, groups, {updates.raw(), plan.row}, y.raw(), error_flag_.word());
  }

 private:
  const cuda::ScatterLaunch launch_;
  const cuda::DeviceErrorFlag error_flag_;
};

class ScatterNdKernel : public GpuScatterNd {
 public:
  static constexpr std::string_view kHostInputs[] = {"shape"};
  using GpuScatterNd::GpuScatterNd;
  Status Compute(OpContext& ctx) {
    const Tensor& updates = ctx.input(1);
    DF_ASSIGN(const Shape shape, ShapeValue(ctx.input(2), "the shape to scatter into"));
    DF_ASSIGN(const CoordinatePlan plan, PlanSlices(ctx.input(0).shape(), updates.shape(), shape));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    DF_TRY(cuda::EnqueueZeros(ctx, y->raw(), y->num_bytes()));
    return Scatter(ctx, ctx.input(0), updates, plan, *y);
  }
};

class TensorScatterKernel : public GpuScatterNd {
 public:
  using GpuScatterNd::GpuScatterNd;
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const CoordinatePlan plan, PlanSlices(ctx.input(1).shape(), ctx.input(2).shape(), x.shape()));
    Tensor* y = nullptr;
    DF_TRY(ctx.ForwardOrAllocate(0, 0, x.shape(), &y));
    DF_TRY(cuda::EnqueueBytes(ctx, x.raw(), y->raw(), x.num_bytes()));
    return Scatter(ctx, ctx.input(1), ctx.input(2), plan, *y);
  }
};

// K with the launch that `find` gives for a dtype.
template <class K, cuda::ScatterLaunch (*find)(DType)>
struct Scattering {
  template <class T>
  struct Kernel : K {
    explicit Kernel(KernelSetup& setup) : K(setup, find(DTypeOf<T>)) {}
  };
};
// K with a functor of scatters.
template <class K, class F>
struct ScatteringBy {
  template <class T>
  struct Kernel : K {
    explicit Kernel(KernelSetup& setup) : K(setup, &cuda::LaunchScatter<cuda::Accepting<F>, T>) {}
  };
};

using ScatterNd = Scattering<ScatterNdKernel, &cuda::AddLaunch>;
using TensorScatterUpdate = Scattering<TensorScatterKernel, &cuda::ReplaceLaunch>;
using TensorScatterAdd = Scattering<TensorScatterKernel, &cuda::AddLaunch>;
using TensorScatterSub = Scattering<TensorScatterKernel, &cuda::SubtractLaunch>;
using TensorScatterMax = ScatteringBy<TensorScatterKernel, scatter::Largest>;
using TensorScatterMin = ScatteringBy<TensorScatterKernel, scatter::Smallest>;

CUDA_KERNEL("ScatterNd", ScatterNd, DF_NUMBERS, bool);
CUDA_KERNEL("TensorScatterUpdate", TensorScatterUpdate, DF_PLAIN);
CUDA_KERNEL("TensorScatterAdd", TensorScatterAdd, DF_NUMBERS);
CUDA_KERNEL("TensorScatterSub", TensorScatterSub, DF_NUMBERS);
CUDA_KERNEL("TensorScatterMax", TensorScatterMax, DF_REAL);
CUDA_KERNEL("TensorScatterMin", TensorScatterMin, DF_REAL);

}  // namespace
}  // namespace dfrun
