// Functions of complex numbers, and their parts.
#include "kernels/math/elementwise/unary_cuda.h"
#include "kernels/math/functions/complex_cuda.h"
#include "kernels/math/functions/complex_functors.h"
#include "kernels/math/functions/complex_parts.h"
#include "kernels/math/functions/elementary.h"
#include "kernels/math/functions/functors.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// Kahan's form of asin, which cancels nothing. Source: Branch cuts for complex elementary functions, 1987.
struct Asin {
  template <class Z>
  DF_HOST_DEVICE Z operator()(Z z) const {
    const Z below = fn::Sqrt()(Z(1) - z);
    const Z above = fn::Sqrt()(Z(1) + z);
    const auto height = below.real() * above.imag() - below.imag() * above.real();
    return Z(std::atan2(z.real(), below.real() * above.real() - below.imag() * above.imag()), std::asinh(height));
  }
};
// -i asin(i z)
struct Asinh {
  template <class Z>
  DF_HOST_DEVICE Z operator()(Z z) const {
    const Z turned = Asin()(Z(-z.imag(), z.real()));
    return Z(turned.imag(), -turned.real());
  }
};

template <class F>
struct Part {
  template <class T>
  struct Kernel : cuda::UnaryKernel {
    explicit Kernel(KernelSetup& setup) : cuda::UnaryKernel(setup, &cuda::LaunchUnary<F, cuda::GpuType<T>>) {
      RequireOutput(setup, DTypeOf<typename T::value_type>);
    }
  };
};

CUDA_KERNEL("Real", Part<fn::Real>, DF_COMPLEX);
CUDA_KERNEL("Imag", Part<fn::Imag>, DF_COMPLEX);
CUDA_KERNEL("ComplexAbs", Part<fn::ComplexAbs>, DF_COMPLEX);
CUDA_KERNEL("Angle", Part<fn::Angle>, DF_COMPLEX);
CUDA_KERNEL("Conj", cuda::Unary<fn::Conj>, DF_COMPLEX);
CUDA_KERNEL("Neg", cuda::Unary<fn::Neg>, DF_COMPLEX);
CUDA_KERNEL("Sign", cuda::Unary<fn::Sign>, DF_COMPLEX);
CUDA_KERNEL("Square", cuda::Unary<fn::Square>, DF_COMPLEX);
CUDA_KERNEL("Round", cuda::Unary<fn::Rint>, DF_COMPLEX);
CUDA_KERNEL("Reciprocal", cuda::Unary<fn::Reciprocal>, DF_COMPLEX);
CUDA_KERNEL("Inv", cuda::Unary<fn::Reciprocal>, DF_COMPLEX);
CUDA_KERNEL("Sqrt", cuda::Unary<fn::Sqrt>, DF_COMPLEX);
CUDA_KERNEL("Rsqrt", cuda::Unary<fn::Rsqrt>, DF_COMPLEX);
CUDA_KERNEL("Exp", cuda::Unary<fn::Exp>, DF_COMPLEX);
CUDA_KERNEL("Expm1", cuda::Unary<fn::Expm1>, DF_COMPLEX);
CUDA_KERNEL("Log", cuda::Unary<fn::Log>, DF_COMPLEX);
CUDA_KERNEL("Log1p", cuda::Unary<fn::Log1p>, DF_COMPLEX);
CUDA_KERNEL("Sin", cuda::Unary<fn::Sin>, DF_COMPLEX);
CUDA_KERNEL("Cos", cuda::Unary<fn::Cos>, DF_COMPLEX);
CUDA_KERNEL("Tan", cuda::Unary<fn::Tan>, DF_COMPLEX);
CUDA_KERNEL("Asin", cuda::Unary<Asin>, DF_COMPLEX);
CUDA_KERNEL("Acos", cuda::Unary<fn::Acos>, DF_COMPLEX);
CUDA_KERNEL("Atan", cuda::Unary<fn::Atan>, DF_COMPLEX);
CUDA_KERNEL("Sinh", cuda::Unary<fn::Sinh>, DF_COMPLEX);
CUDA_KERNEL("Cosh", cuda::Unary<fn::Cosh>, DF_COMPLEX);
CUDA_KERNEL("Tanh", cuda::Unary<fn::Tanh>, DF_COMPLEX);
CUDA_KERNEL("Asinh", cuda::Unary<Asinh>, DF_COMPLEX);
CUDA_KERNEL("Acosh", cuda::Unary<fn::Acosh>, DF_COMPLEX);
CUDA_KERNEL("Atanh", cuda::Unary<fn::Atanh>, DF_COMPLEX);
CUDA_KERNEL("Sigmoid", cuda::Unary<fn::Sigmoid>, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
