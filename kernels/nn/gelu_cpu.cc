#include "kernels/math/same_shape.h"
#include "kernels/math/unary.h"
#include "kernels/nn/gelu.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

struct Gelu {
  template <class T>
  struct Kernel : UnaryKernel {
    explicit Kernel(KernelSetup& setup)
        : UnaryKernel(
              setup, setup.attr<bool>("approximate") ? UnaryOf<fn::GeluTanh, T>::kLoop : UnaryOf<fn::Gelu, T>::kLoop) {}
  };
};

struct GeluGrad {
  template <class T>
  struct Kernel : SameShapeKernel {
    explicit Kernel(KernelSetup& setup)
        : SameShapeKernel(setup, setup.attr<bool>("approximate") ? BinaryOf<fn::GeluTanhGrad, T>::kLoops
                                                                 : BinaryOf<fn::GeluGrad, T>::kLoops) {}
  };
};

CPU_KERNEL("Gelu", Gelu, DF_FLOATS);
CPU_KERNEL("GeluGrad", GeluGrad, DF_FLOATS);

}  // namespace
}  // namespace dfrun
