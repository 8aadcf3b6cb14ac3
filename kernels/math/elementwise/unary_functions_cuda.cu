// Elementary functions and activations, of floating-point numbers.
#include "kernels/math/elementwise/unary_cuda.h"
#include "kernels/math/functions/activations.h"
#include "kernels/math/functions/elementary.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CUDA_KERNEL("Sqrt", cuda::Unary<fn::Sqrt>, DF_FLOATS);
CUDA_KERNEL("Rsqrt", cuda::Unary<fn::Rsqrt>, DF_FLOATS);
CUDA_KERNEL("Exp", cuda::Unary<fn::Exp>, DF_FLOATS);
CUDA_KERNEL("Expm1", cuda::Unary<fn::Expm1>, DF_FLOATS);
CUDA_KERNEL("Log", cuda::Unary<fn::Log>, DF_FLOATS);
CUDA_KERNEL("Log1p", cuda::Unary<fn::Log1p>, DF_FLOATS);
CUDA_KERNEL("Sin", cuda::Unary<fn::Sin>, DF_FLOATS);
CUDA_KERNEL("Cos", cuda::Unary<fn::Cos>, DF_FLOATS);
CUDA_KERNEL("Tan", cuda::Unary<fn::Tan>, DF_FLOATS);
CUDA_KERNEL("Asin", cuda::Unary<fn::Asin>, DF_FLOATS);
CUDA_KERNEL("Acos", cuda::Unary<fn::Acos>, DF_FLOATS);
CUDA_KERNEL("Atan", cuda::Unary<fn::Atan>, DF_FLOATS);
CUDA_KERNEL("Sinh", cuda::Unary<fn::Sinh>, DF_FLOATS);
CUDA_KERNEL("Cosh", cuda::Unary<fn::Cosh>, DF_FLOATS);
CUDA_KERNEL("Tanh", cuda::Unary<fn::Tanh>, DF_FLOATS);
CUDA_KERNEL("Asinh", cuda::Unary<fn::Asinh>, DF_FLOATS);
CUDA_KERNEL("Acosh", cuda::Unary<fn::Acosh>, DF_FLOATS);
CUDA_KERNEL("Atanh", cuda::Unary<fn::Atanh>, DF_FLOATS);
CUDA_KERNEL("Sigmoid", cuda::Unary<fn::Sigmoid>, DF_FLOATS);
CUDA_KERNEL("Erf", cuda::Unary<fn::Erf>, DF_FLOATS);
CUDA_KERNEL("Erfc", cuda::Unary<fn::Erfc>, DF_FLOATS);
CUDA_KERNEL("Elu", cuda::Unary<fn::Elu>, DF_FLOATS);
CUDA_KERNEL("Selu", cuda::Unary<fn::Selu>, DF_FLOATS);
CUDA_KERNEL("Softplus", cuda::Unary<fn::Softplus>, DF_FLOATS);
CUDA_KERNEL("Softsign", cuda::Unary<fn::Softsign>, DF_FLOATS);

}  // namespace
}  // namespace dfrun
