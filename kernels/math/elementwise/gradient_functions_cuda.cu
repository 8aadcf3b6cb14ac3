// Gradients of element-wise functions, of two tensors of one shape.
#include "kernels/math/elementwise/binary_cuda.h"
#include "kernels/math/functions/activations.h"
#include "kernels/math/functions/gradient_functors.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CUDA_KERNEL("ReluGrad", cuda::SameShape<fn::ReluGrad>, DF_REAL);
CUDA_KERNEL("Relu6Grad", cuda::SameShape<fn::Relu6Grad>, DF_REAL);
CUDA_KERNEL("EluGrad", cuda::SameShape<fn::EluGrad>, DF_FLOATS);
CUDA_KERNEL("SeluGrad", cuda::SameShape<fn::SeluGrad>, DF_FLOATS);
CUDA_KERNEL("SoftplusGrad", cuda::SameShape<fn::SoftplusGrad>, DF_FLOATS);
CUDA_KERNEL("SoftsignGrad", cuda::SameShape<fn::SoftsignGrad>, DF_FLOATS);
CUDA_KERNEL("SigmoidGrad", cuda::SameShape<fn::SigmoidGrad>, DF_FLOATS);
CUDA_KERNEL("TanhGrad", cuda::SameShape<fn::TanhGrad>, DF_FLOATS);
CUDA_KERNEL("SqrtGrad", cuda::SameShape<fn::SqrtGrad>, DF_FLOATS);
CUDA_KERNEL("RsqrtGrad", cuda::SameShape<fn::RsqrtGrad>, DF_FLOATS);
CUDA_KERNEL("ReciprocalGrad", cuda::SameShape<fn::ReciprocalGrad>, DF_FLOATS);
CUDA_KERNEL("InvGrad", cuda::SameShape<fn::ReciprocalGrad>, DF_FLOATS);

}  // namespace
}  // namespace dfrun
