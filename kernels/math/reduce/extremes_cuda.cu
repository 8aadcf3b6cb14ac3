// Products, extremes, and reductions of truth values.
#include "kernels/math/functions/reducers.h"
#include "kernels/math/reduce/reduction_cuda.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CUDA_KERNEL("Prod", cuda::Reduction<red::Prod>, DF_REAL);
CUDA_KERNEL("Max", cuda::Reduction<red::Max>, DF_REAL);
CUDA_KERNEL("Min", cuda::Reduction<red::Min>, DF_REAL);
CUDA_KERNEL_ANY("All", cuda::Reduction<red::All>::Kernel<bool>);
CUDA_KERNEL_ANY("Any", cuda::Reduction<red::Any>::Kernel<bool>);

}  // namespace
}  // namespace dfrun
