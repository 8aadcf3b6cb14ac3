#include "kernels/state/scatter.h"

#include "kernels/array/copy/movement_cuda.h"
#include "kernels/array/index/scatter_cuda.h"
#include "kernels/math/functions/complex_cuda.h"
#include "kernels/math/functions/functors.h"

namespace dfrun {
namespace {

class ScatterOnGpu : public ScatterKernel {
 public:
  ScatterOnGpu(KernelSetup& setup, ScatterIndices indices, cuda::ScatterLaunch launch)
      : ScatterKernel(setup, indices),
        launch_(launch),
        error_flag_(setup, "an index is outside of the variable, or an update is refused (a division by 0)") {}

 protected:
  Status Scatter(OpContext& ctx, const Request& request, Variable& variable) const override {
    if (request.plan.count == 0) return Status();
    DF_ASSIGN(const cuda::UpdateGroups groups, Group(ctx, request));
    return launch_(ctx, groups, {request.updates.raw(), request.plan.row, request.one_for_all},
                   variable.mutable_value().raw(), error_flag_.word());
  }

 private:
  Result<cuda::UpdateGroups> Group(OpContext& ctx, const Request& request) const {
    if (indices() == ScatterIndices::kCoordinates) {
      return cuda::UpdateGroups::ByCoordinates(ctx, request.indices, request.plan, bad_indices(), error_flag_.word());
    }
    return cuda::UpdateGroups::ByIndex(ctx, request.indices, request.plan.sizes[0], cuda::BadIndex::kRefused,
                                       error_flag_.word());
  }

  const cuda::ScatterLaunch launch_;
  const cuda::DeviceErrorFlag error_flag_;
};

template <ScatterIndices kIndices, cuda::ScatterLaunch (*find)(DType)>
struct Scattering {
  template <class T>
  struct Kernel : ScatterOnGpu {
    explicit Kernel(KernelSetup& setup) : ScatterOnGpu(setup, kIndices, find(DTypeOf<T>)) {}
  };
};

// An element-wise functor as one of scatters.
template <class F>
struct Combining {
  template <class T>
  DF_DEVICE_FUNCTION static T Combine(const T& element, const T& update, int32_t* error_flag) {
    using C = ComputeType<T>;
    if constexpr (requires(T y) { F::Refuses(y); }) {
      if (F::Refuses(update)) {
        *error_flag = 1;
        return element;
      }
    }
    return static_cast<T>(F()(static_cast<C>(element), static_cast<C>(update)));
  }
};
template <ScatterIndices kIndices, class F>
struct ScatteringBy {
  template <class T>
  struct Kernel : ScatterOnGpu {
    explicit Kernel(KernelSetup& setup)
        : ScatterOnGpu(setup, kIndices, &cuda::LaunchScatter<Combining<F>, cuda::GpuType<T>>) {}
  };
};

template <cuda::ScatterLaunch (*find)(DType)>
using Rows = Scattering<ScatterIndices::kRows, find>;
template <cuda::ScatterLaunch (*find)(DType)>
using Slices = Scattering<ScatterIndices::kCoordinates, find>;
template <class F>
using RowsBy = ScatteringBy<ScatterIndices::kRows, F>;
template <class F>
using SlicesBy = ScatteringBy<ScatterIndices::kCoordinates, F>;

// Each op on refs and on handles.
#define DF_GPU_SCATTER(name, family, ...)           \
  CUDA_KERNEL("Scatter" name, family, __VA_ARGS__); \
  CUDA_KERNEL_ATTR("ResourceScatter" name, "dtype", family, __VA_ARGS__)
#define DF_GPU_SCATTER_ND(name, family, ...)          \
  CUDA_KERNEL("ScatterNd" name, family, __VA_ARGS__); \
  CUDA_KERNEL("ResourceScatterNd" name, family, __VA_ARGS__)

DF_GPU_SCATTER("Update", Rows<&cuda::ReplaceLaunch>, DF_NUMBERS, bool);
DF_GPU_SCATTER("Add", Rows<&cuda::AddLaunch>, DF_NUMBERS);
DF_GPU_SCATTER("Sub", Rows<&cuda::SubtractLaunch>, DF_NUMBERS);
DF_GPU_SCATTER("Mul", RowsBy<fn::Mul>, DF_NUMBERS);
DF_GPU_SCATTER("Div", RowsBy<fn::Div>, DF_NUMBERS);
DF_GPU_SCATTER("Min", RowsBy<fn::Minimum>, DF_REAL);
DF_GPU_SCATTER("Max", RowsBy<fn::Maximum>, DF_REAL);
DF_GPU_SCATTER_ND("Update", Slices<&cuda::ReplaceLaunch>, DF_NUMBERS, bool);
DF_GPU_SCATTER_ND("Add", Slices<&cuda::AddLaunch>, DF_NUMBERS, bool);
DF_GPU_SCATTER_ND("Sub", Slices<&cuda::SubtractLaunch>, DF_NUMBERS, bool);
DF_GPU_SCATTER_ND("Min", SlicesBy<fn::Minimum>, DF_REAL);
DF_GPU_SCATTER_ND("Max", SlicesBy<fn::Maximum>, DF_REAL);

#undef DF_GPU_SCATTER
#undef DF_GPU_SCATTER_ND

}  // namespace
}  // namespace dfrun
