// LaunchEmptyKernel(): a GPU function that does nothing, to measure the cost of a launch.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_EMPTY_KERNEL_H_
#define DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_EMPTY_KERNEL_H_

#include <cuda_runtime_api.h>

namespace dfrun::cuda {

cudaError_t LaunchEmptyKernel(cudaStream_t stream);

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_EMPTY_KERNEL_H_
