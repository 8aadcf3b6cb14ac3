#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/binary.h"
#include "kernels/math/elementwise/unary.h"
#include "kernels/math/functions/complex_functors.h"
#include "kernels/math/functions/complex_parts.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

template <class F>
struct Part {
  template <class T>
  struct Kernel : cpu::UnaryKernel {
    explicit Kernel(KernelSetup& setup) : cpu::UnaryKernel(setup, cpu::UnaryOf<F, T>::kLoop) {
      RequireOutput(setup, DTypeOf<typename T::value_type>);
    }
  };
};

struct ComplexOfParts {
  template <class T>
  struct Kernel : cpu::BinaryKernel {
    explicit Kernel(KernelSetup& setup)
        : cpu::BinaryKernel(setup, cpu::BinaryOf<fn::ComplexOf<std::complex>, T>::kLoops) {
      RequireOutput(setup, DTypeOf<std::complex<T>>);
    }
  };
};

CPU_KERNEL("Complex", ComplexOfParts, float, double);
CPU_KERNEL("Real", Part<fn::Real>, DF_COMPLEX);
CPU_KERNEL("Imag", Part<fn::Imag>, DF_COMPLEX);
CPU_KERNEL("ComplexAbs", Part<fn::ComplexAbs>, DF_COMPLEX);
CPU_KERNEL("Angle", Part<fn::Angle>, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
