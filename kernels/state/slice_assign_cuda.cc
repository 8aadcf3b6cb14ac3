#include "kernels/array/copy/movement_cuda.h"
#include "kernels/state/slice_assign.h"

namespace dfrun {
namespace {

CUDA_KERNEL("StridedSliceAssign", cuda::ByBytes<SliceAssignKernel<cuda::Movement>>, DF_PLAIN);
CUDA_KERNEL("ResourceStridedSliceAssign", cuda::ByBytes<SliceAssignKernel<cuda::Movement>>, DF_PLAIN);

}  // namespace
}  // namespace dfrun
