// Divisions, their remainders, and powers. An integer that is divided by 0 is refused when the step ends.
#include "kernels/math/elementwise/binary_cuda.h"
#include "kernels/math/functions/elementary.h"
#include "kernels/math/functions/functors.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CUDA_KERNEL("Div", cuda::Binary<fn::Div>, DF_REAL);
CUDA_KERNEL("RealDiv", cuda::Binary<fn::Div>, DF_REAL);
CUDA_KERNEL("TruncateDiv", cuda::Binary<fn::TruncateDiv>, DF_REAL);
CUDA_KERNEL("FloorDiv", cuda::Binary<fn::FloorDiv>, DF_REAL);
CUDA_KERNEL("Mod", cuda::Binary<fn::TruncateMod>, DF_FLOATS, int32_t, int64_t);
CUDA_KERNEL("TruncateMod", cuda::Binary<fn::TruncateMod>, DF_FLOATS, int32_t, int64_t);
CUDA_KERNEL("FloorMod", cuda::Binary<fn::FloorMod>, DF_REAL);
CUDA_KERNEL("Pow", cuda::Binary<fn::Pow>, DF_FLOATS, DF_SIGNED);
CUDA_KERNEL("Atan2", cuda::Binary<fn::Atan2>, DF_FLOATS);
CUDA_KERNEL("Xlogy", cuda::Binary<fn::Xlogy>, DF_FLOATS);
CUDA_KERNEL("Xlog1py", cuda::Binary<fn::Xlog1py>, DF_FLOATS);
CUDA_KERNEL("Xdivy", cuda::Binary<fn::Xdivy>, DF_FLOATS);

}  // namespace
}  // namespace dfrun
