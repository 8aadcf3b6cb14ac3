// Arithmetic with broadcasting.
#include "kernels/math/elementwise/binary_cuda.h"
#include "kernels/math/functions/functors.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CUDA_KERNEL("Add", cuda::Binary<fn::Add>, DF_FLOATS, DF_SIGNED, uint8_t);
CUDA_KERNEL("AddV2", cuda::Binary<fn::Add>, DF_REAL);
CUDA_KERNEL("Sub", cuda::Binary<fn::Sub>, DF_REAL);
CUDA_KERNEL("Mul", cuda::Binary<fn::Mul>, DF_REAL);
CUDA_KERNEL("Maximum", cuda::Binary<fn::Maximum>, DF_REAL);
CUDA_KERNEL("Minimum", cuda::Binary<fn::Minimum>, DF_REAL);
CUDA_KERNEL("SquaredDifference", cuda::Binary<fn::SquaredDifference>, DF_FLOATS, int32_t, int64_t);
CUDA_KERNEL("DivNoNan", cuda::Binary<fn::DivNoNan>, DF_FLOATS);
CUDA_KERNEL("MulNoNan", cuda::Binary<fn::MulNoNan>, DF_FLOATS);

}  // namespace
}  // namespace dfrun
