// Gradients of element-wise functions, of complex numbers.
#include "kernels/math/elementwise/binary_cuda.h"
#include "kernels/math/functions/complex_cuda.h"
#include "kernels/math/functions/gradient_functors.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CUDA_KERNEL("SigmoidGrad", cuda::SameShape<fn::SigmoidGrad>, DF_COMPLEX);
CUDA_KERNEL("TanhGrad", cuda::SameShape<fn::TanhGrad>, DF_COMPLEX);
CUDA_KERNEL("SqrtGrad", cuda::SameShape<fn::SqrtGrad>, DF_COMPLEX);
CUDA_KERNEL("RsqrtGrad", cuda::SameShape<fn::RsqrtGrad>, DF_COMPLEX);
CUDA_KERNEL("ReciprocalGrad", cuda::SameShape<fn::ReciprocalGrad>, DF_COMPLEX);
CUDA_KERNEL("InvGrad", cuda::SameShape<fn::ReciprocalGrad>, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
