// Means, products and norms of complex numbers.
#include "kernels/math/complex_cuda.h"
#include "kernels/math/reducers.h"
#include "kernels/math/reduction_cuda.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CUDA_KERNEL("Mean", cuda::Reduction<red::Mean>, DF_COMPLEX);
CUDA_KERNEL("Prod", cuda::Reduction<red::Prod>, DF_COMPLEX);
CUDA_KERNEL("EuclideanNorm", cuda::Reduction<red::EuclideanNorm>, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
