// Arithmetic of complex numbers, with broadcasting.
#include "kernels/math/elementwise/binary_cuda.h"
#include "kernels/math/functions/complex_cuda.h"
#include "kernels/math/functions/complex_functors.h"
#include "kernels/math/functions/complex_parts.h"
#include "kernels/math/functions/elementary.h"
#include "kernels/math/functions/functors.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

struct ComplexOfParts {
  template <class T>
  struct Kernel : cuda::BinaryKernel {
    explicit Kernel(KernelSetup& setup)
        : cuda::BinaryKernel(setup, cuda::kBinaryLaunch<fn::ComplexOf<cuda::Complex>, T>) {
      RequireOutput(setup, DTypeOf<std::complex<T>>);
    }
  };
};

CUDA_KERNEL("Complex", ComplexOfParts, float, double);
CUDA_KERNEL("Add", cuda::Binary<fn::Add>, DF_COMPLEX);
CUDA_KERNEL("AddV2", cuda::Binary<fn::Add>, DF_COMPLEX);
CUDA_KERNEL("Sub", cuda::Binary<fn::Sub>, DF_COMPLEX);
CUDA_KERNEL("Mul", cuda::Binary<fn::Mul>, DF_COMPLEX);
CUDA_KERNEL("SquaredDifference", cuda::Binary<fn::SquaredDifference>, DF_COMPLEX);
CUDA_KERNEL("DivNoNan", cuda::Binary<fn::DivNoNan>, DF_COMPLEX);
CUDA_KERNEL("MulNoNan", cuda::Binary<fn::MulNoNan>, DF_COMPLEX);
CUDA_KERNEL("Div", cuda::Binary<fn::Div>, DF_COMPLEX);
CUDA_KERNEL("RealDiv", cuda::Binary<fn::Div>, DF_COMPLEX);
CUDA_KERNEL("Pow", cuda::Binary<fn::Pow>, DF_COMPLEX);
CUDA_KERNEL("Xlogy", cuda::Binary<fn::Xlogy>, DF_COMPLEX);
CUDA_KERNEL("Xlog1py", cuda::Binary<fn::Xlog1py>, DF_COMPLEX);
CUDA_KERNEL("Xdivy", cuda::Binary<fn::Xdivy>, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
