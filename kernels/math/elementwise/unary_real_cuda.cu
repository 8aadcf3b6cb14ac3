// Element-wise functions that are arithmetic, of all real numbers.
#include "kernels/math/elementwise/unary_cuda.h"
#include "kernels/math/functions/activations.h"
#include "kernels/math/functions/bitwise_functors.h"
#include "kernels/math/functions/functors.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CUDA_KERNEL("Neg", cuda::Unary<fn::Neg>, DF_FLOATS, DF_SIGNED);
CUDA_KERNEL("Abs", cuda::Unary<fn::Abs>, DF_FLOATS, DF_SIGNED);
CUDA_KERNEL("Sign", cuda::Unary<fn::Sign>, DF_FLOATS, DF_SIGNED);
CUDA_KERNEL("Square", cuda::Unary<fn::Square>, DF_REAL);
CUDA_KERNEL("Reciprocal", cuda::Unary<fn::Reciprocal>, DF_FLOATS, DF_SIGNED);
CUDA_KERNEL("Inv", cuda::Unary<fn::Reciprocal>, DF_FLOATS, DF_SIGNED);
CUDA_KERNEL("Floor", cuda::Unary<fn::Floor>, DF_FLOATS);
CUDA_KERNEL("Ceil", cuda::Unary<fn::Ceil>, DF_FLOATS);
CUDA_KERNEL("Rint", cuda::Unary<fn::Rint>, DF_FLOATS);
CUDA_KERNEL("Round", cuda::Unary<fn::Rint>, DF_FLOATS, DF_SIGNED);
CUDA_KERNEL("IsNan", cuda::Unary<fn::IsNan>, DF_FLOATS);
CUDA_KERNEL("IsInf", cuda::Unary<fn::IsInf>, DF_FLOATS);
CUDA_KERNEL("IsFinite", cuda::Unary<fn::IsFinite>, DF_FLOATS);
CUDA_KERNEL("Relu", cuda::Unary<fn::Relu>, DF_REAL);
CUDA_KERNEL("Relu6", cuda::Unary<fn::Relu6>, DF_REAL);
CUDA_KERNEL("Invert", cuda::Unary<fn::Invert>, DF_INTEGERS);
CUDA_KERNEL_ANY("LogicalNot", cuda::Unary<fn::LogicalNot>::Kernel<bool>);

}  // namespace
}  // namespace dfrun
