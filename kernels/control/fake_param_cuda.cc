#include "kernels/array/copy/movement_cuda.h"
#include "kernels/control/fake_param.h"

namespace dfrun {
namespace {

CUDA_KERNEL_ATTR("FakeParam", "dtype", cuda::ByBytes<FakeParamKernel<cuda::Movement>>, DF_PLAIN);

}  // namespace
}  // namespace dfrun
