#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/same_shape.h"
#include "kernels/math/elementwise/unary.h"
#include "kernels/math/functions/gelu.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

struct Gelu {
  template <class T>
  struct Kernel : cpu::UnaryKernel {
    explicit Kernel(KernelSetup& setup)
        : cpu::UnaryKernel(setup, setup.attr<bool>("approximate") ? cpu::UnaryOf<fn::GeluTanh, T>::kLoop
                                                                  : cpu::UnaryOf<fn::Gelu, T>::kLoop) {}
  };
};

struct GeluGrad {
  template <class T>
  struct Kernel : cpu::SameShapeKernel {
    explicit Kernel(KernelSetup& setup)
        : cpu::SameShapeKernel(setup, setup.attr<bool>("approximate") ? cpu::BinaryOf<fn::GeluTanhGrad, T>::kLoops
                                                                      : cpu::BinaryOf<fn::GeluGrad, T>::kLoops) {}
  };
};

CPU_KERNEL("Gelu", Gelu, DF_FLOATS);
CPU_KERNEL("GeluGrad", GeluGrad, DF_FLOATS);

}  // namespace
}  // namespace dfrun
