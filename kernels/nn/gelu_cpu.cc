#include "kernels/math/same_shape.h"
#include "kernels/math/unary.h"
#include "kernels/nn/gelu.h"

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

CPU_KERNEL("Gelu", Gelu, bfloat16, float16, float, double);
CPU_KERNEL("GeluGrad", GeluGrad, bfloat16, float16, float, double);

}  // namespace
}  // namespace dfrun
