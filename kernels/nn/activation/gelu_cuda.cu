#include "kernels/math/elementwise/binary_cuda.h"
#include "kernels/math/elementwise/unary_cuda.h"
#include "kernels/math/functions/gelu.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

struct Gelu {
  template <class T>
  struct Kernel : cuda::UnaryKernel {
    explicit Kernel(KernelSetup& setup)
        : cuda::UnaryKernel(setup, setup.attr<bool>("approximate") ? &cuda::LaunchUnary<fn::GeluTanh, T>
                                                                   : &cuda::LaunchUnary<fn::Gelu, T>) {}
  };
};

struct GeluGrad {
  template <class T>
  struct Kernel : cuda::BinaryKernel {
    explicit Kernel(KernelSetup& setup)
        : cuda::BinaryKernel(setup,
                             setup.attr<bool>("approximate") ? cuda::kBinaryLaunch<fn::GeluTanhGrad, T>
                                                             : cuda::kBinaryLaunch<fn::GeluGrad, T>,
                             /*broadcasts=*/false) {}
  };
};

CUDA_KERNEL("Gelu", Gelu, DF_FLOATS);
CUDA_KERNEL("GeluGrad", GeluGrad, DF_FLOATS);

}  // namespace
}  // namespace dfrun
