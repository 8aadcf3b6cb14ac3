// Means, products and norms of complex numbers.
#include "kernels/math/functions/complex_cuda.h"
#include "kernels/math/functions/reducers.h"
#include "kernels/math/reduce/reduction_cuda.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CUDA_KERNEL("Mean", cuda::Reduction<red::Mean>, DF_COMPLEX);
CUDA_KERNEL("Prod", cuda::Reduction<red::Prod>, DF_COMPLEX);
CUDA_KERNEL("EuclideanNorm", cuda::Reduction<red::EuclideanNorm>, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
