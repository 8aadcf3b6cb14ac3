// A function of the card that does nothing, for what a launch costs.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_EMPTY_KERNEL_H_
#define DFRUN_KERNELS_DEVICE_CUDA_EMPTY_KERNEL_H_

#include <cuda_runtime_api.h>

namespace dfrun::cuda {

cudaError_t LaunchEmptyKernel(cudaStream_t stream);

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_EMPTY_KERNEL_H_
